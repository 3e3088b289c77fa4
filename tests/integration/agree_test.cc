// What explain says of a path is what the kernel does there: boundaries by chance over a real tree, tried out path by path.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "boundary/explain.h"
#include "service/prepare.h"
#include "support/host.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

constexpr int kBoundaries = 25;  // for each account and each place

// Of the project, unless it begins with '/': then of the directory beside it.
const std::vector<std::string> kDirectories = {"a",      "a/b",          "a/b/c",       "d",
                                               "d/e",    ".git",         ".git/hooks",  ".claude",
                                               "n/.git", "n/.git/hooks", "n/.git/refs", "n/.git/objects",
                                               "n",      "/e",           "/e/s"};
const std::vector<std::string> kFiles = {"f",
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
const std::vector<std::string> kMissing = {"new",         "a/new",
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
constexpr Trial kTrials[] = {{"read", Operation::Read},
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

std::vector<std::string> to_words(const std::vector<Flag>& flags) {
  std::vector<std::string> words;
  for (const Flag& flag : flags) {
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

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

// The project and the directory beside it, under `base`.
class Tree {
 public:
  Tree(const fs::path& base, Account account) : base_(base), account_(account) {}

  Path project() const { return Path::literal((base_ / "project").string()); }
  Path at(const std::string& name) const {
    return Path::literal(
        (name.starts_with('/') ? base_ / "beside" / name.substr(1) : base_ / "project" / name).string());
  }

  void rebuild() const {
    fs::remove_all(base_ / "project");
    fs::remove_all(base_ / "beside");
    for (const std::string& name : kDirectories) fs::create_directories(at(name).text());
    for (const std::string& name : kFiles) {
      std::ofstream(at(name).text()) << "#!/bin/true\n";
      fs::permissions(at(name).text(), fs::perms(0755));
    }
    fs::copy_file(PALE_PROBE, base_ / "project" / "probe");
    give_tree(base_, account_);
  }

 private:
  fs::path base_;
  Account account_;
};

std::vector<Flag> draw_flags(const Tree& tree, std::mt19937& random) {
  const auto below = [&random](std::size_t count) { return random() % count; };
  const auto inside = [](const std::string& name) { return !name.starts_with('/'); };
  std::vector<Flag> flags;
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
  return flags;
}

std::vector<Place> places_of(const Tree& tree) {
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
Kind kind_inside(const Boundary& boundary, const Place& place) {
  const bool is_private = std::ranges::any_of(std::array{"/tmp", "/dev/shm"}, [&](const char* top) {
    return place.path.text() != top && Path::literal(top).covers(place.path);
  });
  if (!is_private || boundary.grant_for(place.path) != nullptr) return place.kind;
  return std::ranges::any_of(boundary.grants(), [&](const Grant& grant) { return place.path.covers(grant.path); })
             ? Kind::Directory
             : Kind::Missing;
}

// Whether a trial makes sense at a place.
bool fits(const Trial& trial, const Place& place, const std::vector<Place>& all) {
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

Outcome expected(const Boundary& boundary, const Trial& trial, const Path& path) {
  // What is moved to a name is first made beside it.
  const Outcome beside = explain(boundary, path.parent() / ".probe", Operation::Create).outcome;
  if (trial.name == std::string_view("place") && beside != Outcome::Allowed) return beside;
  const Outcome outcome = explain(boundary, path, trial.operation).outcome;
  return outcome == Outcome::Allowed && trial.also_rename ? explain(boundary, path, Operation::Rename).outcome
                                                          : outcome;
}

bool agrees(Outcome outcome, const Trial& trial, Kind kind, int error) {
  // In which order the kernel looks at the mount, for the name, and for what is mounted there, is its own business.
  const bool absent = kind == Kind::Missing && !trial.makes;
  const bool moves = trial.operation == Operation::Remove || trial.operation == Operation::Rename;
  switch (outcome) {
    case Outcome::Allowed: return error == (absent ? ENOENT : 0);
    case Outcome::NotFound: return error == ENOENT || (moves && error == EROFS);
    case Outcome::Denied: return error == EACCES || (absent && error == ENOENT);
    case Outcome::ReadOnly: return error == EROFS || (absent && error == ENOENT) || (moves && error == EBUSY);
  }
  return false;
}

class ExplainAgrees : public testing::TestWithParam<Account> {
 protected:
  ExplainAgrees() : caller_home_(Account::Root, "caller") {
    environment_ = {"HOME=" + project_.home().text(), "PALE_HOME=" + caller_home_.text()};
    for (std::string& variable : environment_) envp_.push_back(variable.data());
    envp_.push_back(nullptr);
  }

  Result<service::Prepared> prepare(const Tree& tree, const std::vector<Flag>& flags) {
    service::Request request;
    request.project_root = tree.project().text();
    for (const Flag& flag : flags) request.paths.push_back({flag.rule, flag.path});
    return service::prepare(request, {nullptr, envp_.data()});
  }

  Finished probe(const Tree& tree, const std::vector<Flag>& flags, const char* trial, const std::string& input) const {
    std::vector<std::string> words = {"run", "--project-root", tree.project().text()};
    for (const std::string& word : to_words(flags)) words.push_back(word);
    words.insert(words.end(), {"--", "./probe", trial});
    return project_.pale(words, {}, input);
  }

  void try_out(const Tree& tree, const std::vector<Flag>& flags, const Boundary& boundary, const Trial& trial) {
    std::vector<Place> all = places_of(tree);
    for (Place& place : all) place.kind = kind_inside(boundary, place);
    std::vector<Place> places;
    std::string input;
    for (const Place& place : all) {
      if (!fits(trial, place, all)) continue;
      places.push_back(place);
      input += place.path.text() + '\0';
    }
    tree.rebuild();
    const Finished run = probe(tree, flags, trial.name, input);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    std::istringstream answers(run.out);
    for (const Place& place : places) {
      int error = -1;
      ASSERT_TRUE(answers >> error) << run.err;
      const Outcome outcome = expected(boundary, trial, place.path);
      ++verdicts_;
      EXPECT_TRUE(agrees(outcome, trial, place.kind, error))
          << trial.name << " " << place.path.text() << ": explain says " << to_text(outcome) << " ("
          << explain(boundary, place.path, trial.operation).rule << "), the kernel "
          << (error == 0 ? "allowed it" : std::strerror(error));
    }
  }

  void agree_in(const fs::path& base, unsigned seed) {
    const Tree tree(base, GetParam());
    for (int number = 0; number < kBoundaries && !HasFailure(); ++number) {
      std::mt19937 random(seed + static_cast<unsigned>(number));
      const std::vector<Flag> flags = draw_flags(tree, random);
      SCOPED_TRACE("PALE_SEED=" + std::to_string(seed + static_cast<unsigned>(number)) +
                   " flags: " + joined(to_words(flags)));
      tree.rebuild();
      const auto prepared = prepare(tree, flags);
      if (!prepared) {
        const Finished run = probe(tree, flags, "read", "");
        EXPECT_NE(run.exit_code, 0) << prepared.error().sentence();
        EXPECT_EQ(run.err.substr(0, run.err.find('\n')), "pale: " + prepared.error().sentence());
        continue;
      }
      for (const Trial& trial : kTrials) ASSERT_NO_FATAL_FAILURE(try_out(tree, flags, prepared->boundary, trial));
    }
  }

  Project project_{GetParam()};
  TemporaryDirectory caller_home_;
  std::vector<std::string> environment_;
  std::vector<char*> envp_;
  int verdicts_ = 0;
};

// PALE_SEED=N begins at another boundary.
unsigned first_seed() {
  const char* text = std::getenv("PALE_SEED");
  return text == nullptr ? 1U : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

TEST_P(ExplainAgrees, WithTheKernelInAProjectBelowTmp) {
  const TemporaryDirectory base(GetParam(), "agree", "/tmp");
  agree_in(base.path(), first_seed());
  RecordProperty("verdicts", verdicts_);
  EXPECT_GT(verdicts_, 5000);
}

TEST_P(ExplainAgrees, WithTheKernelInAProjectElsewhere) {
  const TemporaryDirectory base(GetParam(), "agree", "/var/tmp");
  agree_in(base.path(), first_seed() + kBoundaries);
  RecordProperty("verdicts", verdicts_);
  EXPECT_GT(verdicts_, 5000);
}

INSTANTIATE_TEST_SUITE_P(, ExplainAgrees, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
