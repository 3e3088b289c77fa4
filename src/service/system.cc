#include "service/system.h"

#include <algorithm>

#include "sandbox/small_etc.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::service {
namespace {

// How things look, not who is asking.
constexpr std::string_view kPassedOn[] = {"TERM", "COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "NO_COLOR"};

Grant itself(const Path& path) { return {path, Access::Read, path, "system", {}}; }

// At its own place, by name; inside another boundary of Pale's it is small already.
Status add_etc_itself(const Layout& layout, const Path& etc, std::vector<Grant>& grants) {
  if (layout.nested) {
    grants.push_back(itself(etc));
    grants.push_back(itself(Path::literal("/run/pale")));
    return {};
  }
  for (const char* name : sandbox::small_etc_names()) {
    const Path path = etc / name;
    PALE_TRY(info, sys::file_info(sys::kAbsolute, path.c_str()));
    const bool plain = info.kind == sys::FileKind::File || info.kind == sys::FileKind::Directory;
    if (plain) grants.push_back(itself(path));
  }
  return {};
}

}  // namespace

Error home_error(Error error, const Path& pale_home) {
  error.operation = "prepare " + pale_home.text() + ": " + error.operation;
  return std::move(error).with_hint("export PALE_HOME=/a/directory/you/may/write, with some megabytes left");
}

Result<System> show_system(const Layout& layout, const Path& inside_home) {
  System system;
  for (const std::string_view name : kSystemDirectories) {
    const Path path = Path::literal(name);
    if (std::ranges::find(layout.system_links, path, &plan::Link::path) != layout.system_links.end()) continue;
    PALE_TRY(info, sys::file_info(sys::kAbsolute, path.c_str()));
    if (info.kind == sys::FileKind::Directory) system.grants.push_back(itself(path));
  }
  const Path etc = Path::literal("/etc");
  if (layout.backend == plan::Backend::Landlock) {
    PALE_CHECK(add_etc_itself(layout, etc, system.grants));
    return system;
  }
  auto small = sandbox::prepare_small_etc({layout.pale_home.text()},
                                          {sys::user_id(), sys::group_id(), inside_home.text(), layout.own_names});
  if (!small) return fail(home_error(std::move(small).error(), layout.pale_home));
  system.grants.push_back({etc, Access::Read, Path::literal(small->path), "system", {}});
  system.etc_in_use = std::move(small->in_use);
  return system;
}

std::vector<Variable> usual_environment(const Caller& caller, const Path& home, const Path& temporary) {
  const char* name = sys::user_id() == 0 ? "root" : "agent";
  std::vector<Variable> variables = {{"PATH", std::string(kSearchPath), "default"},
                                     {"HOME", home.text(), "private home"},
                                     {"TMPDIR", temporary.text(), "default"},
                                     {"USER", name, "default"},
                                     {"LOGNAME", name, "default"},
                                     {"SHELL", "/bin/bash", "default"}};
  for (const std::string_view passed : kPassedOn) {
    if (caller.has_variable(passed)) variables.push_back({std::string(passed), caller.variable(passed), "caller"});
  }
  return variables;
}

}  // namespace pale::service
