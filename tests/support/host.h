// tests/support/host.h: what a test needs of the host: who runs, temporary directories, processes with their output.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace pale::test {

// Who runs a program. Tests run as root run each attack as both; otherwise only the caller itself can be had.
enum class Account { Root, Ordinary };
std::vector<Account> accounts();
std::string account_name(Account account);
inline void PrintTo(Account account, std::ostream* out) { *out << account_name(account); }

// Makes the account the owner of a path and of everything below it.
void give_tree(const std::filesystem::path& path, Account account);

// A fresh directory, owned by the account, gone with the object.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(Account account, std::string_view name = "dir",
                              const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string text() const { return path_.string(); }
  // Relative paths. `write` makes the directories above; both act as root would, and give the file to the account.
  void write(const std::string& name, std::string_view content) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const;  // without following a symlink
  void make_directory(const std::string& name) const;
  // Every path below, with type, mode, size, content hash and link target: two equal snapshots, two equal trees.
  std::string snapshot() const;

 private:
  Account account_;
  std::filesystem::path path_;
};

struct Finished {
  int exit_code = -1;  // 128 + n for a signal
  std::string out;
  std::string err;
};

struct Process {
  std::vector<std::string> arguments;
  Account account = Account::Root;
  std::vector<std::string> environment;  // NAME=VALUE, added to PATH, HOME and PALE_HOME
  std::string input;
  std::string directory = "/";
  int seconds = 60;  // then it is killed, and the test fails
};
// For a child of fork(): becomes the process, with the descriptors it has.
[[noreturn]] void execute(const Process& process);
// Runs to the end; the whole process group is killed at the time limit.
Finished run(const Process& process);

// The program under test ($PALE_PROGRAM).
std::string pale_program();

// Shared: $PALE_HOME/<account>, which all tests use, so that the first-run work is done once. Own: for tests that look into it.
enum class PaleHome { Shared, Own };

// One project for one test: a workspace, a PALE_HOME, a HOME with a secret in it.
class Project {
 public:
  explicit Project(Account account, PaleHome pale_home = PaleHome::Shared);

  const TemporaryDirectory& workspace() const { return workspace_; }
  const std::filesystem::path& pale_home() const { return pale_home_; }
  // No run is under way, by what PALE_HOME says.
  bool records_are_idle() const;
  const TemporaryDirectory& home() const { return home_; }
  Account account() const { return account_; }
  static constexpr std::string_view kSecret = "the-secret-of-the-host";  // in HOME/.ssh/id_test

  // pale ARGUMENTS…
  Finished pale(std::vector<std::string> arguments, std::vector<std::string> environment = {},
                std::string input = {}) const;
  // pale run --project-root W FLAGS… -- COMMAND…
  Finished run_command(std::vector<std::string> flags, std::vector<std::string> command) const;
  // pale run --project-root W FLAGS… -- /bin/sh -c SCRIPT
  Finished run_script(std::string_view script, std::vector<std::string> flags = {}) const;
  std::vector<std::string> environment() const;

 private:
  Account account_;
  TemporaryDirectory home_;
  TemporaryDirectory own_pale_home_;
  std::filesystem::path pale_home_;
  TemporaryDirectory workspace_;
};

}  // namespace pale::test
