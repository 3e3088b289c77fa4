// What the tests of projects share: a user with a HOME and a PALE_HOME of his own, and pale called from anywhere.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/host.h"

namespace pale::test {

using Words = std::vector<std::string>;

inline Words operator+(Words one, const Words& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

class WithProjects : public testing::TestWithParam<Account> {
 protected:
  // The copy of /etc that a first command makes takes a second, and is the same in every PALE_HOME: made once for all tests.
  WithProjects() {
    const Project shared(GetParam());
    if (!std::filesystem::exists(shared.pale_home() / "etc")) shared.run_command({"--dry-run"}, {"true"});
    run({.arguments = {"/bin/cp", "-al", (shared.pale_home() / "etc").string(), project_.pale_home().string()},
         .account = GetParam()});
  }

  // pale WORDS…, called from a directory.
  Finished pale_in(const std::string& directory, const Words& words, const Words& environment = {},
                   const std::string& input = {}) const {
    Process process;
    process.arguments = Words{pale_program()} + words;
    process.account = GetParam();
    process.environment = environment_with(environment);
    process.directory = directory;
    process.input = input;
    return run(process);
  }
  Finished pale(const Words& words, const Words& environment = {}) const { return pale_in("/", words, environment); }

  // The usual variables, but for those that are given.
  Words environment_with(const Words& given) const {
    Words all = given;
    for (const std::string& usual : project_.environment()) {
      const std::string name = usual.substr(0, usual.find('=') + 1);
      const auto same = [&](const std::string& other) { return other.starts_with(name); };
      if (std::ranges::none_of(given, same)) all.push_back(usual);
    }
    return all;
  }

  // A shell line inside the boundary of the project that a directory holds, from inside that directory.
  Finished script(const TemporaryDirectory& directory, const std::string& line, const Words& flags = {}) const {
    return pale_in(directory.text(), Words{"run"} + flags + Words{"--", "/bin/sh", "-c", line});
  }
  Finished script(const std::string& line, const Words& flags = {}) const { return script(work(), line, flags); }

  // What the shell of a user would make of a hint: the words of "pale …".
  Finished run_hint(const std::string& hint) const {
    Process process;
    process.arguments = {"/bin/sh", "-c", "pale() { '" + pale_program() + "' \"$@\"; }\n" + hint};
    process.account = GetParam();
    process.environment = project_.environment();
    return run(process);
  }
  // The first hint of an answer.
  static std::string hint_of(const Finished& answer) {
    const std::size_t at = answer.err.find("hint: ");
    if (at == std::string::npos) return {};
    return answer.err.substr(at + 6, answer.err.find('\n', at) - at - 6);
  }

  // pale WORDS…, where a script has mounted something: in a mount namespace of its own, so that nothing stays.
  Finished pale_in_mounts(const std::string& mounts, const Words& words, const Words& environment = {},
                          const std::string& directory = "/") const {
    return in_mounts(mounts, Words{pale_program()} + words, environment, directory);
  }
  Finished in_mounts(const std::string& mounts, const Words& words, const Words& environment = {},
                     const std::string& directory = "/") const {
    const bool root = geteuid() == 0;
    const std::string become =
        root && GetParam() == Account::Ordinary ? "setpriv --reuid pale-test --regid pale-test --clear-groups " : "";
    Process process;
    process.arguments = Words{"/usr/bin/unshare",
                              root ? "-m" : "-Urm",
                              "/bin/sh",
                              "-ec",
                              mounts + "\ncd '" + directory + "'; exec " + become + "\"$@\"",
                              "sh"} +
                        words;
    process.environment = environment_with(environment);
    return run(process);
  }

  Finished init(const TemporaryDirectory& directory, const Words& more = {}) const {
    Finished done = pale(Words{"project", "init", directory.text()} + more);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done;
  }

  // Files of PALE_HOME.
  std::filesystem::path in_pale_home(const std::string& name) const { return project_.pale_home() / name; }
  std::string read_pale_home(const std::string& name) const {
    std::ifstream in(in_pale_home(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write_pale_home(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(in_pale_home(name).parent_path());
    std::ofstream(in_pale_home(name), std::ios::binary) << text;
    give_tree(project_.pale_home(), GetParam());
  }
  // The names in PALE_HOME that hold a word.
  Words names_in_pale_home(const std::string& word) const {
    Words names;
    for (const auto& entry : std::filesystem::directory_iterator(project_.pale_home())) {
      if (entry.path().filename().string().find(word) != std::string::npos)
        names.push_back(entry.path().filename().string());
    }
    return names;
  }
  nlohmann::json registry() const { return nlohmann::json::parse(read_pale_home("projects.json")); }
  nlohmann::json entry(const std::string& id) const { return registry().at("projects").at(id); }
  bool is_registered(const std::string& id) const {
    return std::filesystem::exists(in_pale_home("projects.json")) && registry().at("projects").contains(id);
  }

  void write_manifest(const std::string& text) const { work().write(".pale/project.toml", text); }

  const TemporaryDirectory& work() const { return project_.workspace(); }
  std::string root() const { return work().text(); }
  const TemporaryDirectory& home() const { return project_.home(); }

  Project project_{GetParam(), PaleHome::Own};
};

}  // namespace pale::test
