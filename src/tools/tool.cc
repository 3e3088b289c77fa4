#include "tools/tool.h"

#include <fcntl.h>

namespace pale::tools {

std::string_view to_text(Power power) noexcept {
  switch (power) {
    case Power::List: return "list";
    case Power::Read: return "read";
    case Power::Write: return "write";
    case Power::Run: return "run";
  }
  return {};
}

std::string_view to_text(sys::FileKind kind) noexcept {
  switch (kind) {
    case sys::FileKind::File: return "file";
    case sys::FileKind::Directory: return "directory";
    case sys::FileKind::Symlink: return "symlink";
    default: return "other";
  }
}

std::string_view Workplace::variable(std::string_view name) const { return variable_in(envp, name); }

Result<Workplace> enter(const Boundary& boundary, Power power, char* const* envp) {
  PALE_TRY(root, sys::open_at(sys::kAbsolute, boundary.workspace().c_str(), O_PATH | O_DIRECTORY));
  return Workplace{boundary, power, std::move(root), envp, {}, {}, {}, {}};
}

}  // namespace pale::tools
