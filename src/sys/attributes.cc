#include "sys/attributes.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace pale::sys {
namespace {

constexpr std::size_t kMostBytes = 65536;  // XATTR_LIST_MAX and XATTR_SIZE_MAX
constexpr std::size_t kUsual = 256;

// Asks with a small buffer first: mostly there is little or nothing.
template <typename Ask>
Result<std::string> ask(Ask ask_kernel, const char* name) {
  std::string text(kUsual, '\0');
  long length = ask_kernel(text);
  if (length == -ERANGE) {
    text.resize(kMostBytes);
    length = ask_kernel(text);
  }
  if (length == -ENODATA || length == -EOPNOTSUPP) return std::string();
  if (failed(length)) return fail_errno(static_cast<int>(-length), "read attribute", name);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

Result<std::string> read_attribute(const Fd& fd, const char* name) {
  return ask([&](std::string& text) { return call(SYS_fgetxattr, fd.borrow(), name, text.data(), text.size()); }, name);
}

Result<std::vector<Attribute>> read_attributes(const Fd& fd) {
  PALE_TRY(names, ask([&](std::string& text) { return call(SYS_flistxattr, fd.borrow(), text.data(), text.size()); },
                      "names"));
  std::vector<Attribute> attributes;
  for (std::size_t at = 0; at < names.size(); at = names.find('\0', at) + 1) {
    std::string name = names.c_str() + at;
    PALE_TRY(value, read_attribute(fd, name.c_str()));
    attributes.push_back({std::move(name), std::move(value)});
  }
  std::ranges::sort(attributes, {}, &Attribute::name);
  return attributes;
}

Status write_attribute(const Fd& fd, const Attribute& attribute) {
  const long result =
      call(SYS_fsetxattr, fd.borrow(), attribute.name.c_str(), attribute.value.data(), attribute.value.size(), 0);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "set attribute", attribute.name);
  return {};
}

Status remove_attribute(const Fd& fd, const char* name) {
  const long result = call(SYS_fremovexattr, fd.borrow(), name);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "remove attribute", name);
  return {};
}

}  // namespace pale::sys
