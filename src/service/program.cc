#include "service/program.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "project/here.h"
#include "service/system.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::string_view kPackages = "node_modules";
constexpr int kMostLinks = 40;   // as many as the kernel follows
constexpr int kMostScripts = 8;  // that are each other's interpreters

bool is_system(const Path& path) {
  return std::ranges::any_of(kSystemDirectories,
                             [&](std::string_view place) { return Path::literal(place).covers(path); });
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    if (end > 0) words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

// Of a script: what stands behind its "#!".
std::vector<std::string> interpreter_of(const sys::Fd& program) {
  std::array<char, 256> buffer = {};
  const std::size_t length = sys::read_at(program, 0, buffer);
  std::string_view text(buffer.data(), length);
  if (!text.starts_with("#!")) return {};
  text.remove_prefix(2);
  return words_of(text.substr(0, text.find('\n')));
}

// The program that "env" would look for.
std::string named_by_env(const std::vector<std::string>& words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    if (!words[at].starts_with('-') && words[at].find('=') == std::string::npos) return words[at];
  }
  return {};
}

class Inspection {
 public:
  Inspection(const Caller& caller, const project::Surroundings& around, std::span<const Path> writable)
      : caller_(caller), around_(around), writable_(writable) {}

  Status visit(const std::string& path, int depth) {
    PALE_TRY(as_named, Path::parse(path));
    PALE_TRY(fd, sys::open_at(sys::kAbsolute, path.c_str(), O_RDONLY));
    PALE_TRY(text, sys::path_of(fd));
    PALE_TRY(real, Path::parse(text));
    if (program.path.empty()) program.path = real.text();
    PALE_TRY(trusted, leads_through_none(as_named));
    if (!trusted || is_writable(real)) return {};
    add_place(as_named);
    add_place(real);
    const std::vector<std::string> words = interpreter_of(fd);
    if (words.empty() || depth >= kMostScripts) return {};
    if (!words.front().ends_with("/env")) return visit(words.front(), depth + 1);
    const std::string name = named_by_env(words);
    if (name.empty()) return {};
    PALE_TRY(found, find_program(name, caller_));
    PALE_TRY(found_path, Path::parse(found));
    if (!is_system(found_path)) program.directories.push_back(found_path.parent());
    return visit(found, depth + 1);
  }

  Program program;

 private:
  bool is_writable(const Path& path) const {
    return std::ranges::any_of(writable_, [&](const Path& place) { return place.covers(path); });
  }

  // Of the links from one to the next, none lies where an agent could have bent it.
  Result<bool> leads_through_none(Path path) const {
    for (int links = 0; links < kMostLinks; ++links) {
      PALE_TRY(directory, sys::open_at(sys::kAbsolute, path.parent().c_str(), O_PATH | O_DIRECTORY));
      PALE_TRY(place, sys::path_of(directory));
      PALE_TRY(real_directory, Path::parse(place));
      if (is_writable(path) || is_writable(real_directory / path.name())) return false;
      PALE_TRY(info, sys::file_info(sys::kAbsolute, path.c_str()));
      if (info.kind != sys::FileKind::Symlink) return true;
      PALE_TRY(target, sys::read_link(sys::kAbsolute, path.c_str()));
      const auto next = Path::parse(target.starts_with('/') ? target : real_directory.text() + "/" + target);
      if (!next) return true;  // It goes up: the kernel has followed it, and where it ends is looked at.
      path = *next;
    }
    return false;
  }

  void add_place(const Path& file) {
    if (is_system(file)) return;
    const Path place = place_of(file);
    const auto covers = [&](const Path& other) { return other.covers(place); };
    if (std::ranges::none_of(program.places, covers)) program.places.push_back(place);
  }

  // The package directory that holds it; or the prefix whose bin it lies in; or the file alone, where that would be too much.
  Path place_of(const Path& file) const {
    Path place = Path::root();
    for (const std::string_view name : file.components()) {
      place = place / name;
      if (name == kPackages) return place;
    }
    const Path prefix = file.parent().parent();
    return file.parent().name() == "bin" && !is_too_much(prefix) ? prefix : file;
  }

  bool is_too_much(const Path& prefix) const {
    return prefix.covers(around_.user_home) || prefix == around_.user_home / ".local" || prefix.depth() < 2 ||
           prefix.covers(around_.pale_home);
  }

  const Caller& caller_;
  const project::Surroundings& around_;
  std::span<const Path> writable_;
};

}  // namespace

Result<std::string> find_program(const std::string& name, const Caller& caller) {
  const auto is_program = [](const std::string& path) {
    const auto info = sys::file_info(sys::kAbsolute, path.c_str(), sys::Links::Follow);
    return info && info->kind == sys::FileKind::File && sys::may_execute(path.c_str());
  };
  if (name.find('/') != std::string::npos) {
    PALE_TRY(full, project::from_here(name));
    if (is_program(full)) return full;
    return fail(ErrorKind::NotFound, "there is no such program:", name, "ls -l " + shell_word(name));
  }
  const std::string search = caller.variable("PATH");
  for (std::string_view rest = search; !rest.empty();) {
    const std::string_view directory = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(directory.size() + 1, rest.size()));
    std::string path = std::string(directory) + "/" + name;
    if (directory.starts_with('/') && is_program(path)) return path;
  }
  return fail(ErrorKind::NotFound, "this program is not on your PATH:", name);
}

Result<Program> look_into_program(const std::string& path, const Caller& caller, const project::Surroundings& around,
                                  std::span<const Path> writable) {
  Inspection inspection(caller, around, writable);
  PALE_CHECK(inspection.visit(path, 0));
  return std::move(inspection.program);
}

}  // namespace pale::service
