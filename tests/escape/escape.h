// tests/escape/escape.h: what the escape tests share: a project with the attacking program in it, run as both accounts.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/host.h"

namespace pale::test {

class Escape : public testing::TestWithParam<Account> {
 protected:
  explicit Escape(PaleHome pale_home = PaleHome::Shared) : project_(GetParam(), pale_home) {
    workspace().write("attack", "");
    std::filesystem::copy_file(PALE_ATTACK, workspace().path() / "attack",
                               std::filesystem::copy_options::overwrite_existing);
  }

  const TemporaryDirectory& workspace() const { return project_.workspace(); }

  // pale run FLAGS… -- ./attack WORDS…
  Finished attack(std::vector<std::string> words, std::vector<std::string> flags = {}) const {
    words.insert(words.begin(), "./attack");
    return project_.run_command(std::move(flags), std::move(words));
  }

  // A script inside. $OUTSIDE is the user's home on the host, $SECRET a file in it, $LIBRARY whatever the test says.
  Finished shell(const std::string& script, std::vector<std::string> flags = {},
                 const std::string& library = "") const {
    return project_.run_command(std::move(flags), {"/bin/bash", "-c", names(library) + script});
  }
  std::string names(const std::string& library = "") const {
    return "OUTSIDE='" + project_.home().text() + "' SECRET='" + secret() + "' LIBRARY='" + library + "'\n";
  }
  std::string secret() const { return project_.home().text() + "/.ssh/id_test"; }

  // As a process of this account on the host, with a Project's environment.
  Process on_host(std::vector<std::string> arguments) const {
    Process process;
    process.arguments = std::move(arguments);
    process.account = GetParam();
    process.environment = project_.environment();
    return process;
  }

  // pale run --project-root W FLAGS… -- COMMAND…, to be started in one's own way.
  std::vector<std::string> pale_run(std::vector<std::string> flags, const std::vector<std::string>& command) const {
    std::vector<std::string> words = {pale_program(), "run", "--project-root", workspace().text()};
    words.insert(words.end(), flags.begin(), flags.end());
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }

  // The same, started by another program.
  Process pale_run_by(std::vector<std::string> starter, const std::vector<std::string>& flags,
                      const std::vector<std::string>& command) const {
    const std::vector<std::string> words = pale_run(flags, command);
    starter.insert(starter.end(), words.begin(), words.end());
    return on_host(std::move(starter));
  }

  // git as the user runs it on the host.
  Finished host_git(std::vector<std::string> words) const {
    words.insert(words.begin(),
                 {"/usr/bin/git", "-C", workspace().text(), "-c", "user.name=t", "-c", "user.email=t@t"});
    Finished finished = run(on_host(words));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return finished;
  }

  std::size_t quarantined() const {
    std::error_code none;
    const std::filesystem::directory_iterator entries(project_.pale_home() / "quarantine", none);
    return none ? 0 : static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }

  Project project_;
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace pale::test
