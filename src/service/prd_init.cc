#include "service/prd_init.h"

#include <fcntl.h>

#include <cerrno>

#include "base/text.h"
#include "project/here.h"
#include "scope/template.h"
#include "sys/file.h"

namespace pale::service {
namespace {

std::unexpected<Error> no_template(const std::string& name) {
  std::vector<std::string_view> names;
  std::string all;
  for (const scope::Template& kind : scope::templates()) {
    names.push_back(kind.name);
    all += (all.empty() ? "" : ", ") + std::string(kind.name);
  }
  const auto close = nearest(name, names);
  return fail(ErrorKind::Usage, "there is no template", "'" + name + "'",
              close ? "--template " + std::string(*close) : "--template with one of: " + all);
}

Result<std::vector<std::string>> folders_of(const PrdInit& wanted, const scope::Template& kind, const Path& root) {
  std::vector<std::string> names;
  if (!wanted.folders.empty()) {
    PALE_TRY(folders, find_folders(root, wanted.folders));
    for (scope::Folder& folder : folders.all) names.push_back(std::move(folder.name));
    return names;
  }
  for (const std::string_view usual : kind.folders) {
    if (const auto folder = find_folder(root, std::string(usual))) names.push_back(folder->name);
  }
  return names;
}

}  // namespace

Result<PrdMade> init_prd(const PrdInit& wanted, const Caller& caller) {
  const scope::Template* kind = scope::find_template(wanted.kind);
  if (kind == nullptr) return no_template(wanted.kind);
  PALE_TRY(root, find_repository(wanted.project, caller));
  PALE_TRY(folders, folders_of(wanted, *kind, root));
  PALE_TRY(full,
           wanted.file.empty() ? Result<std::string>((root / "prd.json").text()) : project::from_here(wanted.file));
  PALE_TRY(path, Path::parse(full));
  const std::string text = scope::prd_text(*kind, root.name(), folders);
  auto fd = sys::open_at(sys::kAbsolute, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (!fd && fd.error().number == EEXIST)
    return fail(ErrorKind::Refused, "there is one already, and it stays as it is:", path.text(),
                "name another file: pale loop init --template " + wanted.kind + " other.json");
  if (!fd) return fail(std::move(fd).error());
  if (auto written = sys::write_all(fd->borrow(), text); !written) {
    (void)sys::remove_file(sys::kAbsolute, path.c_str());
    return fail(std::move(written).error());
  }
  return PrdMade{std::move(path), std::move(folders)};
}

}  // namespace pale::service
