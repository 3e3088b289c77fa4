#include "service/worker_files.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "project/here.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::string_view kSuffix = ".worker";
constexpr std::string_view kEveryName = "*.worker";
constexpr std::string_view kOwnPlace = ".pale/workers";
constexpr std::string_view kUsualPlace = "workers";  // beside a configuration of golem-forge
constexpr std::size_t kMostText = 1UL << 20U;
constexpr std::size_t kDeepest = 16;
constexpr std::size_t kMostFiles = 4096;

bool is_entry_name(std::string_view name) { return std::ranges::find(kEntryNames, name) != std::end(kEntryNames); }

std::string joined(const std::string& directory, std::string_view name) {
  return directory == "." ? std::string(name) : directory + "/" + std::string(name);
}

class Search {
 public:
  explicit Search(const sys::Fd& root) : root_(root) {}

  // A folder with all below it, or a file.
  void look_in(const std::string& place, const std::string& needed_by) {
    auto fd = open_in_project(root_, place);
    if (!fd && fd.error().number == ENOENT && needed_by.empty()) return;
    if (!fd) return note(std::move(fd).error(), needed_by);
    const auto info = sys::file_info(*fd);
    if (!info) return note(info.error(), needed_by);
    if (info->kind != sys::FileKind::Directory) return take(place, place);
    walk(*fd, place, place, 0);
  }

  // The files of a folder, and none below.
  void look_beside(const std::string& place) {
    const auto fd = open_in_project(root_, place);
    if (!fd) return note(fd.error(), "");
    for (const sys::Entry& entry : sorted_entries(*fd, place)) {
      if (entry.kind != sys::FileKind::Directory && entry.name.ends_with(kSuffix))
        take(joined(place, entry.name), place);
    }
  }

  FoundWorkers finish() {
    std::ranges::sort(found_, {}, [](const File& file) -> const std::string& { return file.worker.path; });
    rename_entries();
    tell_duplicates();
    tell_entry();
    for (File& file : found_) result_.workers.push_back(std::move(file.worker));
    return std::move(result_);
  }

 private:
  struct File {
    worker::Worker worker;
    bool is_entry;
  };

  void note(Error error, const std::string& needed_by) {
    if (!needed_by.empty()) error.operation = needed_by + ": " + error.operation;
    result_.problems.push_back(std::move(error));
  }

  std::vector<sys::Entry> sorted_entries(const sys::Fd& directory, const std::string& path) {
    auto entries = sys::list_directory(directory);
    if (!entries) {
      entries.error().subject = path;
      note(std::move(entries).error(), "");
      return {};
    }
    std::ranges::sort(*entries, {}, &sys::Entry::name);
    return std::move(*entries);
  }

  void walk(const sys::Fd& directory, const std::string& path, const std::string& place, std::size_t depth) {
    for (const sys::Entry& entry : sorted_entries(directory, path)) {
      const std::string full = joined(path, entry.name);
      if (entry.kind == sys::FileKind::Directory) {
        descend(full, place, depth);
      } else if (entry.name.ends_with(kSuffix)) {
        take(full, place);
      } else if (leads_to_directory(directory, entry)) {
        note({ErrorKind::Usage, 0, "this is a link to a folder, in which no workers are looked for:", full,
              "name the folder itself: [workers] paths = […], or workerPaths"},
             "");
      }
    }
  }

  void descend(const std::string& path, const std::string& place, std::size_t depth) {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    if (name.starts_with('.') || name == "node_modules") return;
    if (depth == kDeepest)
      return note({ErrorKind::Usage, 0, "folders lie too deep in one another:", path, "move its workers up"}, "");
    const auto fd = open_in_project(root_, path);
    if (!fd) return note(fd.error(), "");
    walk(*fd, path, place, depth + 1);
  }

  static bool leads_to_directory(const sys::Fd& directory, const sys::Entry& entry) {
    if (entry.kind != sys::FileKind::Symlink) return false;
    const auto info = sys::file_info(directory.borrow(), entry.name.c_str(), sys::Links::Follow);
    return info && info->kind == sys::FileKind::Directory;
  }

  void take(const std::string& path, const std::string& place) {
    const auto same = [&](const File& file) { return file.worker.path == path; };
    if (std::ranges::any_of(found_, same)) return;  // by two ways
    if (found_.size() == kMostFiles) {
      if (!too_many_) note({ErrorKind::Usage, 0, "there are more workers than", std::to_string(kMostFiles), ""}, "");
      too_many_ = true;
      return;
    }
    auto worker = read(path);
    if (!worker) return note(std::move(worker).error(), "");
    const bool at_top = path == place || path.rfind('/') == (place == "." ? std::string::npos : place.size());
    found_.push_back({std::move(*worker), at_top && is_entry_name(path.substr(path.rfind('/') + 1))});
  }

  Result<worker::Worker> read(const std::string& path) {
    PALE_TRY(fd, open_in_project(root_, path));
    PALE_TRY(text, read_worker_text(fd, path));
    PALE_TRY(file, worker::parse_worker(text, path));
    return worker::Worker{std::move(file), path};
  }

  // One that is called first is known by its file. If another has its name, that is whom the name means.
  void rename_entries() {
    for (File& file : found_) {
      const auto same = [&](const File& other) {
        return !other.is_entry && other.worker.file.name == file.worker.file.name;
      };
      if (file.is_entry && std::ranges::any_of(found_, same)) file.worker.file.name = file.worker.path;
    }
  }

  // Which of them is meant, nobody can say: then neither is.
  void tell_duplicates() {
    std::vector<std::string> twice;
    for (std::size_t at = 0; at < found_.size(); ++at) {
      for (std::size_t other = at + 1; other < found_.size(); ++other) {
        const std::string& name = found_[at].worker.file.name;
        if (found_[other].worker.file.name != name) continue;
        twice.push_back(name);
        note({ErrorKind::Usage, 0, "two workers are called '" + name + "':",
              found_[at].worker.path + " and " + found_[other].worker.path, "give one of them another name"},
             "");
      }
    }
    std::erase_if(found_,
                  [&](const File& file) { return std::ranges::find(twice, file.worker.file.name) != twice.end(); });
  }

  void tell_entry() {
    const File* entry = nullptr;
    for (const File& file : found_) {
      if (!file.is_entry) continue;
      if (entry != nullptr) {
        result_.entry.clear();
        return note({ErrorKind::Usage, 0, "two files could be the worker that is called first:",
                     entry->worker.path + " and " + file.worker.path, "rename one of them"},
                    "");
      }
      entry = &file;
      result_.entry = file.worker.file.name;
    }
  }

  const sys::Fd& root_;
  std::vector<File> found_;
  bool too_many_ = false;
  FoundWorkers result_;
};

// "./workers/" becomes "workers".
std::string plain(const std::string& place) {
  const auto path = Path::parse(place == "." || place == "./" ? "" : place);
  return path ? path->text() : ".";
}

}  // namespace

Result<sys::Fd> open_in_project(const sys::Fd& root, const std::string& path) {
  const long raw =
      sys::open_resolved(root.borrow(), path.c_str(), O_RDONLY | O_NONBLOCK, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
  if (raw >= 0) return sys::Fd(raw);
  if (raw == -EXDEV || raw == -ELOOP)
    return fail(ErrorKind::Refused,
                raw == -EXDEV ? "this leads out of the project, where nothing is read:" : "this link leads nowhere:",
                path, "put the file itself there");
  return fail(Error{ErrorKind::NotFound, static_cast<int>(-raw), "open", path, "ls -ld " + shell_word(path)});
}

Result<std::string> read_worker_text(const sys::Fd& file, const std::string& path) {
  PALE_TRY(info, sys::file_info(file));
  if (info.kind != sys::FileKind::File) return fail(ErrorKind::Usage, "this must be a file:", path);
  auto text = sys::read_all(file, kMostText);
  if (!text) text.error().subject = path;
  return text;
}

Result<Beside> beside_of(const sys::Fd& root, const WorkerPlaces& places, bool golem_forge) {
  if (golem_forge) return Beside::Files;
  if (!places.empty()) return Beside::Nothing;
  PALE_TRY(own, sys::file_info(root.borrow(), std::string(kOwnPlace).c_str()));
  if (own.kind != sys::FileKind::Missing) return Beside::Nothing;
  for (const std::string_view name : kEntryNames) {
    PALE_TRY(info, sys::file_info(root.borrow(), std::string(name).c_str()));
    if (info.kind != sys::FileKind::Missing) return Beside::Files;
  }
  return Beside::Nothing;
}

Result<std::vector<Protection>> worker_protections(const Path& directory, const sys::Fd& root,
                                                   const WorkerPlaces& places, Beside beside) {
  std::vector<Protection> protections;
  const auto protect = [&](std::string_view name, Match match) {
    protections.push_back({directory / name, match, "workers"});
  };
  // One that appears there would be called first.
  if (beside == Beside::Nothing && places.empty()) {
    for (const std::string_view name : kEntryNames) protect(name, Match::Exact);
  }
  bool whole = beside == Beside::Files;
  if (beside == Beside::Files) protect(kUsualPlace, Match::Exact);
  for (const auto& place : places) {
    if (plain(place.value) != ".") {
      protect(plain(place.value), Match::Exact);
      continue;
    }
    whole = true;
    PALE_TRY(found, find_worker_files(root, {place}, Beside::Nothing));
    for (const worker::Worker& worker : found.workers) protect(worker.path, Match::Exact);
  }
  if (whole) protect(kEveryName, Match::Glob);
  return protections;
}

Result<FoundWorkers> find_worker_files(const sys::Fd& root, const WorkerPlaces& places, Beside beside) {
  Search search(root);
  search.look_in(std::string(kOwnPlace), "");
  if (beside == Beside::Files) {
    search.look_beside(".");
    search.look_in(std::string(kUsualPlace), "");
  }
  for (const auto& place : places) search.look_in(plain(place.value), place.where);
  return search.finish();
}

Result<std::string> add_given_worker(const Path& root, const std::string& given, FoundWorkers& found) {
  PALE_TRY(full, project::from_here(given));
  auto fd = sys::open_at(sys::kAbsolute, full.c_str(), O_RDONLY | O_NONBLOCK);
  if (!fd) {
    fd.error().kind = ErrorKind::NotFound;
    fd.error().subject = given;
    return fail(std::move(fd).error().with_hint("pale worker list"));
  }
  PALE_TRY(real, sys::path_of(*fd));
  for (const worker::Worker& worker : found.workers) {
    if ((root / worker.path).text() == real) return worker.file.name;
  }
  PALE_TRY(text, read_worker_text(*fd, given));
  PALE_TRY(file, worker::parse_worker(text, given));
  const auto same =
      std::ranges::find_if(found.workers, [&](const worker::Worker& worker) { return worker.file.name == file.name; });
  if (same != found.workers.end() && same->file.locked)
    return fail(ErrorKind::Refused,
                "the worker '" + file.name + "' of this project is locked, no other can stand for it:", same->path,
                "give " + given + " another name");
  if (same != found.workers.end()) found.workers.erase(same);
  std::string name = file.name;
  found.workers.push_back({std::move(file), given});
  return name;
}

}  // namespace pale::service
