// What the tests of managed projects and workspaces share.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "projects.h"

namespace pale::test {

class WithManagedProjects : public WithProjects {
 protected:
  using json = nlohmann::json;

  // pale WORDS… --json, which must succeed.
  json answer(const Words& words) const {
    const Finished done = pale(words + Words{"--json"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.exit_code == 0 ? json::parse(done.out) : json();
  }
  json create_project(const std::string& name, const Words& more = {}) const {
    return answer(Words{"project", "create", name} + more);
  }
  std::string create_workspace(const std::string& project, const Words& more = {}) const {
    return answer(Words{"workspace", "create", "-p", project} + more).at("id");
  }
  std::string start_session(const std::string& project, const std::string& workspace) const {
    const Finished started = pale({"session", "start", "-p", project, "--workspace", workspace});
    EXPECT_EQ(started.exit_code, 0) << started.err;
    return started.out.substr(0, started.out.find('\n'));
  }
  bool lives(const std::string& session) const {
    const int lock = open(in_pale_home("live/" + session + "/lock").c_str(), O_RDWR | O_CLOEXEC);
    if (lock < 0) return false;
    const bool held = syscall(SYS_flock, lock, 1 | 4) != 0;  // LOCK_SH | LOCK_NB; <sys/file.h> is a file of ours
    close(lock);
    return held;
  }

  std::filesystem::path project_directory(const std::string& id) const { return in_pale_home("projects/" + id); }
  std::filesystem::path workspace_directory(const std::string& project, const std::string& id) const {
    return project_directory(project) / "workspaces" / id;
  }
  static Words names(const std::filesystem::path& directory) {
    Words all;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
      all.push_back(entry.path().filename().string());
    std::ranges::sort(all);
    return all;
  }

  // pale WORDS…, for kill_after.
  Process process_of(const Words& words) const {
    Process process;
    process.arguments = Words{pale_program()} + words;
    process.account = GetParam();
    process.environment = project_.environment();
    return process;
  }
  // A shell line in which pale is $PALE.
  Finished shell(const std::string& line) const {
    Process process = process_of({});
    process.arguments = {"/bin/sh", "-c", "PALE='" + pale_program() + "'\n" + line};
    return run(process);
  }

  // Ids that must never become part of a path.
  static Words wrong_ids() {
    return {"..", ".", "a/b", "/etc", "../../etc", std::string(300, 'x'), "A", "00112233-4455-4677-8899-AABBCCDDEEFF"};
  }
};

// Starts a program and kills it a little later.
inline void kill_after(const Process& process, std::chrono::microseconds time) {
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int number : {0, 1, 2}) dup2(nowhere, number);
    execute(process);
  }
  std::this_thread::sleep_for(time);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace pale::test
