#include "support/host.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace pale::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOrdinaryUser = "pale-test";

struct Ids {
  uid_t user;
  gid_t group;
};

Ids ids_of(Account account) {
  if (account == Account::Root || geteuid() != 0) return {geteuid(), getegid()};
  const passwd* entry = getpwnam(kOrdinaryUser);
  if (entry == nullptr) {
    ADD_FAILURE() << "the user " << kOrdinaryUser << " is missing: run ./dev test";
    std::abort();
  }
  return {entry->pw_uid, entry->pw_gid};
}

void give(const fs::path& path, Account account) {
  const Ids ids = ids_of(account);
  (void)lchown(path.c_str(), ids.user, ids.group);
}

std::string mode_text(const fs::file_status& status) {
  return std::to_string(static_cast<int>(status.type())) + " " +
         std::to_string(static_cast<unsigned>(status.permissions()));
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path shared_pale_home(Account account) {
  const char* base = std::getenv("PALE_HOME");
  if (base == nullptr) throw std::runtime_error("PALE_HOME is not set: run ./dev test");
  const fs::path path = fs::path(base) / account_name(account);
  fs::create_directories(path);
  give(path, account);
  return path;
}

[[noreturn]] void become(const Process& process, int in, int out, int err) {
  setpgid(0, 0);
  dup2(in, 0);
  dup2(out, 1);
  dup2(err, 2);
  execute(process);
}

// Reads both until they are closed or the time is over.
bool drain(int out, int err, Finished& finished, int seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  pollfd fds[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  int open = 2;
  while (open > 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    if (poll(fds, 2, static_cast<int>(left)) <= 0) continue;
    for (pollfd& fd : fds) {
      if (fd.fd < 0 || fd.revents == 0) continue;
      char buffer[65536];
      const ssize_t got = read(fd.fd, buffer, sizeof buffer);
      if (got > 0) {
        (fd.fd == out ? finished.out : finished.err).append(buffer, static_cast<std::size_t>(got));
      } else {
        fd.fd = -1;
        --open;
      }
    }
  }
  return true;
}

}  // namespace

std::vector<Account> accounts() {
  if (geteuid() == 0) return {Account::Root, Account::Ordinary};
  return {Account::Ordinary};
}

std::string account_name(Account account) { return account == Account::Root ? "Root" : "Ordinary"; }

void give_tree(const fs::path& path, Account account) {
  give(path, account);
  for (const auto& entry : fs::recursive_directory_iterator(path)) give(entry.path(), account);
}

TemporaryDirectory::TemporaryDirectory(Account account, std::string_view name, const fs::path& parent)
    : account_(account) {
  std::string pattern = (parent / ("pale-test-" + std::string(name) + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = pattern;
  give(path_, account_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  // A test may have left directories that nobody may enter.
  for (auto entry = fs::recursive_directory_iterator(path_, fs::directory_options::skip_permission_denied, ignored);
       !ignored && entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
    if (entry->is_directory(ignored) && !entry->is_symlink(ignored))
      fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
  }
  fs::remove_all(path_, ignored);
}

void TemporaryDirectory::make_directory(const std::string& name) const {
  fs::path at = path_;
  for (const fs::path& part : fs::path(name)) {
    at /= part;
    if (fs::exists(at)) continue;
    fs::create_directory(at);
    give(at, account_);
  }
}

void TemporaryDirectory::write(const std::string& name, std::string_view content) const {
  const fs::path parent = fs::path(name).parent_path();
  if (!parent.empty()) make_directory(parent.string());
  std::ofstream(path_ / name, std::ios::binary) << content;
  give(path_ / name, account_);
}

std::string TemporaryDirectory::read(const std::string& name) const { return slurp(path_ / name); }

bool TemporaryDirectory::exists(const std::string& name) const {
  return fs::symlink_status(path_ / name).type() != fs::file_type::not_found;
}

std::string TemporaryDirectory::snapshot() const {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    std::string line = entry.path().lexically_relative(path_).string() + " " + mode_text(entry.symlink_status());
    if (entry.is_symlink())
      line += " -> " + fs::read_symlink(entry.path()).string();
    else if (entry.is_regular_file())
      line += " " + std::to_string(std::hash<std::string>{}(slurp(entry.path())));
    lines.push_back(line);
  }
  std::ranges::sort(lines);
  std::ostringstream text;
  for (const std::string& line : lines) text << line << "\n";
  return text.str();
}

void execute(const Process& process) {
  const Ids ids = ids_of(process.account);
  if (geteuid() == 0 && ids.user != 0) {
    if (setgroups(0, nullptr) != 0 || setresgid(ids.group, ids.group, ids.group) != 0 ||
        setresuid(ids.user, ids.user, ids.user) != 0)
      _exit(99);
  }
  if (chdir(process.directory.c_str()) != 0) _exit(98);
  std::vector<char*> argv, envp;
  for (const std::string& text : process.arguments) argv.push_back(const_cast<char*>(text.c_str()));
  // Of two with one name the later counts.
  for (auto text = process.environment.begin(); text != process.environment.end(); ++text) {
    const std::string name = text->substr(0, text->find('=') + 1);
    const auto same = [&](const std::string& other) { return other.starts_with(name); };
    if (std::none_of(text + 1, process.environment.end(), same)) envp.push_back(const_cast<char*>(text->c_str()));
  }
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  execve(argv[0], argv.data(), envp.data());
  _exit(97);
}

Finished run(const Process& process) {
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
    throw std::runtime_error("pipe");
  const pid_t pid = fork();
  if (pid == 0) become(process, in[0], out[1], err[1]);
  close(in[0]);
  close(out[1]);
  close(err[1]);
  std::thread writer([&] {
    // Whether anyone reads it is the process's business; the signal would end the test program.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    std::string_view left = process.input;
    while (!left.empty()) {
      const ssize_t wrote = write(in[1], left.data(), left.size());
      if (wrote <= 0) break;
      left.remove_prefix(static_cast<std::size_t>(wrote));
    }
    close(in[1]);
  });
  Finished finished;
  const bool in_time = drain(out[0], err[0], finished, process.seconds);
  if (!in_time) {
    ADD_FAILURE() << "time limit of " << process.seconds << " s: " << process.arguments[0];
    kill(-pid, SIGKILL);
  }
  writer.join();
  int status = 0;
  waitpid(pid, &status, 0);
  close(out[0]);
  close(err[0]);
  finished.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return finished;
}

std::string pale_program() {
  const char* program = std::getenv("PALE_PROGRAM");
  if (program == nullptr) throw std::runtime_error("PALE_PROGRAM is not set: run ./dev test");
  return program;
}

Project::Project(Account account, PaleHome pale_home)
    : account_(account),
      home_(account, "home"),
      own_pale_home_(account, "pale"),
      pale_home_(pale_home == PaleHome::Own ? own_pale_home_.path() : shared_pale_home(account)),
      workspace_(account, "work") {
  home_.write(".ssh/id_test", kSecret);
}

std::vector<std::string> Project::environment() const {
  return {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + home_.text(),
          "PALE_HOME=" + pale_home_.string(), "LANG=C.UTF-8",
          // The program under test may be a sanitizer build: leaks are looked for in the unit tests.
          "ASAN_OPTIONS=detect_leaks=0"};
}

bool Project::records_are_idle() const {
  std::error_code none;
  for (const auto& record : std::filesystem::directory_iterator(pale_home_ / "runs", none)) {
    std::string mark(4, '\0');
    std::ifstream(record.path()).read(mark.data(), static_cast<std::streamsize>(mark.size()));
    if (!record.is_regular_file() || mark != "idle") return false;
  }
  return true;
}

Finished Project::pale(std::vector<std::string> arguments, std::vector<std::string> environment,
                       std::string input) const {
  Process process;
  process.arguments = {pale_program()};
  process.arguments.insert(process.arguments.end(), arguments.begin(), arguments.end());
  process.account = account_;
  process.environment = this->environment();
  process.environment.insert(process.environment.end(), environment.begin(), environment.end());
  process.input = std::move(input);
  return test::run(process);
}

Finished Project::run_command(std::vector<std::string> flags, std::vector<std::string> command) const {
  std::vector<std::string> arguments = {"run", "--project-root", workspace_.text()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), command.begin(), command.end());
  return pale(arguments);
}

Finished Project::run_script(std::string_view script, std::vector<std::string> flags) const {
  return run_command(std::move(flags), {"/bin/sh", "-c", std::string(script)});
}

}  // namespace pale::test
