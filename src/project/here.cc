#include "project/here.h"

#include "sys/file.h"

namespace pale::project {

Result<Path> here() {
  auto text = sys::working_directory();
  if (!text) return fail(std::move(text).error().with_hint("cd to a directory that exists"));
  // "(unreachable)/x": it lies outside of what this process can see.
  if (!text->starts_with('/'))
    return fail(ErrorKind::NotFound, "the current directory cannot be reached:", *text, "cd /");
  return Path::parse(*text);
}

Result<std::string> from_here(const std::string& given) {
  if (given.starts_with('/')) return given;
  PALE_TRY(directory, here());
  return directory.text() + "/" + given;
}

}  // namespace pale::project
