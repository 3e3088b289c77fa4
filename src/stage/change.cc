#include "stage/change.h"

#include <algorithm>

namespace pale::stage {

std::string_view to_text(ChangeKind kind) noexcept {
  switch (kind) {
    case ChangeKind::Created: return "created";
    case ChangeKind::Changed: return "changed";
    case ChangeKind::Deleted: return "deleted";
    case ChangeKind::Renamed: return "renamed";
    case ChangeKind::Retyped: return "retyped";
    case ChangeKind::ModeChanged: return "mode";
  }
  return {};
}

std::string_view to_text(Conflict conflict) noexcept {
  switch (conflict) {
    case Conflict::None: return "none";
    case Conflict::Changed: return "changed";
    case Conflict::Created: return "created";
    case Conflict::Deleted: return "deleted";
  }
  return {};
}

std::string_view to_text(EntryKind kind) noexcept {
  switch (kind) {
    case EntryKind::Missing: return "missing";
    case EntryKind::File: return "file";
    case EntryKind::Directory: return "directory";
    case EntryKind::Symlink: return "symlink";
    case EntryKind::Special: return "special";
  }
  return {};
}

bool stands_before(std::string_view left, std::string_view right) noexcept {
  const auto rank = [](char letter) {
    return letter == '/' ? 0 : static_cast<int>(static_cast<unsigned char>(letter));
  };
  return std::ranges::lexicographical_compare(left, right, {}, rank, rank);
}

bool covers(std::string_view above, std::string_view path) noexcept {
  return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '/');
}

}  // namespace pale::stage
