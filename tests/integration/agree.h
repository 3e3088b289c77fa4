// tests/integration/agree.h: for agree_test.cc: the tree, the flags drawn for it, and what is tried where.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "boundary/explain.h"
#include "service/request.h"
#include "support/host.h"

namespace pale::test {

// Of the project, unless it begins with '/': then of the directory beside it.
inline const std::vector<std::string> kDirectories = {"a",      "a/b",          "a/b/c",       "d",
                                                      "d/e",    ".git",         ".git/hooks",  ".claude",
                                                      "n/.git", "n/.git/hooks", "n/.git/refs", "n/.git/objects",
                                                      "n",      "/e",           "/e/s"};
inline const std::vector<std::string> kFiles = {"f",
                                                "a/f",
                                                "a/b/f",
                                                "a/b/c/f",
                                                "d/e/f",
                                                ".git/config",
                                                ".git/HEAD",
                                                ".git/hooks/pre-commit",
                                                ".claude/settings.json",
                                                ".claude/other.json",
                                                "n/.git/HEAD",
                                                "n/.git/config",
                                                "/e/f",
                                                "/e/s/f",
                                                "/e/g"};
inline const std::vector<std::string> kMissing = {"new",         "a/new",
                                                  "a/b/new",     "d/new",
                                                  "d/new/deep",  "x",
                                                  "x/y",         "x/y/z",
                                                  ".envrc",      ".mcp.json",
                                                  ".vscode",     ".git/config.worktree",
                                                  ".git/new",    ".claude/settings.local.json",
                                                  ".claude/new", "n/.git/commondir",
                                                  "/e/new",      "/e/s/new"};

enum class Kind { Missing, File, Directory, Device };

struct Place {
  Path path;
  Kind kind;
};

struct Trial {
  const char* name;          // of the probe
  Operation operation;       // as explain has it
  bool also_rename = false;  // a name that must be able to become a directory cannot become anything else
  bool makes = false;        // for names that are not there
};
inline constexpr Trial kTrials[] = {{"read", Operation::Read},
                                    {"write", Operation::Write},
                                    {"create-directory", Operation::Create, false, true},
                                    {"create-file", Operation::Create, true, true},
                                    {"place", Operation::Create, true, true},
                                    {"remove", Operation::Remove},
                                    {"rename", Operation::Rename},
                                    {"chmod", Operation::Chmod},
                                    {"execute", Operation::Execute}};

struct Flag {
  service::PathRule rule;
  std::string path;
};

// One boundary, as a user would ask for it.
struct Wish {
  std::vector<Flag> flags;
  std::optional<project::Trust> trust;
};

inline std::vector<std::string> to_words(const Wish& wish) {
  std::vector<std::string> words;
  if (wish.trust) words.insert(words.end(), {"--trust", std::string(project::level_of(*wish.trust).name)});
  for (const Flag& flag : wish.flags) {
    switch (flag.rule) {
      case service::PathRule::ReadWrite: words.emplace_back("--rw"); break;
      case service::PathRule::ReadOnly: words.emplace_back("--ro"); break;
      case service::PathRule::Protect: words.emplace_back("--protect"); break;
      case service::PathRule::Hide: words.emplace_back("--hide"); break;
    }
    words.push_back(flag.path);
  }
  return words;
}

inline std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

// The project and the directory beside it, under `base`.
class Tree {
 public:
  Tree(const std::filesystem::path& base, Account account) : base_(base), account_(account) {}

  Path project() const { return Path::literal((base_ / "project").string()); }
  Path at(const std::string& name) const {
    return Path::literal(
        (name.starts_with('/') ? base_ / "beside" / name.substr(1) : base_ / "project" / name).string());
  }

  // Beside the project, of which nothing may be executable.
  std::string probe() const { return (base_ / "tools" / "probe").string(); }

  void rebuild() const {
    std::filesystem::remove_all(base_ / "project");
    std::filesystem::remove_all(base_ / "beside");
    for (const std::string& name : kDirectories) std::filesystem::create_directories(at(name).text());
    for (const std::string& name : kFiles) {
      std::ofstream(at(name).text()) << "#!/bin/true\n";
      std::filesystem::permissions(at(name).text(), std::filesystem::perms(0755));
    }
    std::filesystem::create_directories(base_ / "tools");
    std::filesystem::copy_file(PALE_PROBE, probe(), std::filesystem::copy_options::overwrite_existing);
    give_tree(base_, account_);
  }

 private:
  std::filesystem::path base_;
  Account account_;
};

inline Wish draw_wish(const Tree& tree, std::mt19937& random) {
  const auto below = [&random](std::size_t count) { return random() % count; };
  const auto inside = [](const std::string& name) { return !name.starts_with('/'); };
  std::vector<Flag> flags = {{service::PathRule::ReadOnly, tree.probe()}};
  for (std::size_t left = below(6); left > 0; --left) {
    const auto rule = static_cast<service::PathRule>(below(4));
    const bool grants = rule == service::PathRule::ReadWrite || rule == service::PathRule::ReadOnly;
    std::vector<std::string> names = kDirectories;
    names.insert(names.end(), kFiles.begin(), kFiles.end());
    // What is granted must exist; once in a while it does not, and both must say so.
    if (!grants || below(20) == 0) names.insert(names.end(), kMissing.begin(), kMissing.end());
    if (grants) names.insert(names.end(), {".", "/e", "/e", "/e/s", "a", "d"});
    if (!grants) std::erase_if(names, [&](const std::string& name) { return !inside(name) && below(8) != 0; });
    const std::string& name = names[below(names.size())];
    flags.push_back({rule, name == "." ? name : inside(name) && below(2) == 0 ? name : tree.at(name).text()});
  }
  std::optional<project::Trust> trust;
  if (below(3) == 0) trust = static_cast<project::Trust>(below(std::size(project::kTrustLevels) - 1));
  return {std::move(flags), trust};
}

inline std::vector<Place> places_of(const Tree& tree) {
  std::vector<Place> places;
  for (const std::string& name : kDirectories) places.push_back({tree.at(name), Kind::Directory});
  for (const std::string& name : kFiles) places.push_back({tree.at(name), Kind::File});
  for (const std::string& name : kMissing) places.push_back({tree.at(name), Kind::Missing});
  for (Path path = tree.project(); !path.is_root(); path = path.parent()) {
    places.push_back({path, Kind::Directory});
    places.push_back({path / "other", Kind::Missing});
  }
  for (const char* path : {"/", "/usr", "/etc", "/tmp", "/home", "/home/agent", "/run", "/dev", "/dev/shm"}) {
    places.push_back({Path::literal(path), Kind::Directory});
    places.push_back({Path::literal(path) / "missing", Kind::Missing});
  }
  for (const char* path : {"/usr/bin/true", "/etc/passwd", "/etc/hosts", "/run/pale/boundary.json"})
    places.push_back({Path::literal(path), Kind::File});
  for (const char* path : {"/dev/null", "/dev/full"}) places.push_back({Path::literal(path), Kind::Device});
  for (const char* path : {"/root", "/sys", "/var/lib", "/boot"})
    places.push_back({Path::literal(path), Kind::Directory});
  return places;
}

// Of what the host has there nothing is inside a private directory, but for grants and the way to them.
inline Kind kind_inside(const Boundary& boundary, const Place& place) {
  const bool is_private = std::ranges::any_of(std::array{"/tmp", "/dev/shm"}, [&](const char* top) {
    return place.path.text() != top && Path::literal(top).covers(place.path);
  });
  if (!is_private || boundary.grant_for(place.path) != nullptr) return place.kind;
  return std::ranges::any_of(boundary.grants(), [&](const Grant& grant) { return place.path.covers(grant.path); })
             ? Kind::Directory
             : Kind::Missing;
}

// Whether a trial makes sense at a place.
inline bool fits(const Trial& trial, const Place& place, const std::vector<Place>& all) {
  if (trial.makes) {
    const auto parent = std::ranges::find(all, place.path.parent(), &Place::path);
    return place.kind == Kind::Missing && parent != all.end() && parent->kind == Kind::Directory;
  }
  const bool by_content = trial.operation == Operation::Write || trial.operation == Operation::Execute;
  if (place.kind == Kind::Directory) return !by_content;
  if (place.kind == Kind::Device) return trial.operation != Operation::Execute;
  // The system's files have modes, of which explain does not speak.
  const bool system = std::ranges::any_of(std::array{"/usr", "/etc", "/run"},
                                          [&](const char* top) { return Path::literal(top).covers(place.path); });
  return !by_content || !system;
}

inline Outcome expected(const Boundary& boundary, const Trial& trial, const Path& path) {
  // What is moved to a name is first made beside it.
  const Outcome beside = explain(boundary, path.parent() / ".probe", Operation::Create).outcome;
  if (trial.name == std::string_view("place") && beside != Outcome::Allowed) return beside;
  const Outcome outcome = explain(boundary, path, trial.operation).outcome;
  return outcome == Outcome::Allowed && trial.also_rename ? explain(boundary, path, Operation::Rename).outcome
                                                          : outcome;
}

inline bool agrees(Outcome outcome, const Trial& trial, Kind kind, int error) {
  // In which order the kernel looks at the mount, for the name, and for what is mounted there, is its own business.
  const bool absent = kind == Kind::Missing && !trial.makes;
  const bool moves = trial.operation == Operation::Remove || trial.operation == Operation::Rename;
  switch (outcome) {
    case Outcome::Allowed: return error == (absent ? ENOENT : 0);
    case Outcome::NotFound: return error == ENOENT || (moves && error == EROFS);
    case Outcome::Denied: return error == EACCES || (absent && error == ENOENT) || (moves && error == EBUSY);
    case Outcome::Listed: return error == (absent ? ENOENT : kind == Kind::Directory ? 0 : EACCES);
    case Outcome::ReadOnly:
      return error == EROFS || (absent && error == ENOENT) || (moves && (error == EBUSY || error == EACCES));
  }
  return false;
}

}  // namespace pale::test
