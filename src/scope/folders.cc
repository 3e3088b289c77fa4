#include "scope/folders.h"

#include <algorithm>

#include "base/text.h"

namespace pale::scope {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

}  // namespace

Result<std::vector<std::string>> split_folders(std::string_view list) {
  std::vector<std::string> folders;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string_view name = trimmed(list.substr(at, end - at));
    if (name.empty())
      return fail(ErrorKind::Usage, "a folder without a name in the list", shell_word(list),
                  "name folders of the repository, with a comma between two: lib,src");
    if (name.find('\0') != std::string_view::npos)
      return fail(ErrorKind::Usage, "a name holds a NUL byte in the list", shell_word(list), "name folders: lib,src");
    folders.emplace_back(name);
    at = end + 1;
  }
  return folders;
}

Result<std::string> name_below(const Path& root, std::string_view written) {
  PALE_TRY(full,
           Path::parse(written.starts_with('/') ? std::string(written) : root.text() + "/" + std::string(written)));
  if (full == root)
    return fail(ErrorKind::Usage, "the whole repository is no folder of it:", std::string(written),
                "leave it out: without folders, all of it is meant");
  if (!root.covers(full))
    return fail(ErrorKind::Refused, "it lies outside of the repository " + root.text() + ":", std::string(written),
                "name a folder of the repository");
  return std::string(root.below(full));
}

const Folder* Folders::around(const Path& file) const noexcept {
  const auto found = std::ranges::find_if(all, [&](const Folder& folder) { return folder.path.covers(file); });
  return found == all.end() ? nullptr : &*found;
}

std::string Folders::listed() const {
  std::string text;
  for (const Folder& folder : all) text += (text.empty() ? "" : ",") + folder.name;
  return text;
}

}  // namespace pale::scope
