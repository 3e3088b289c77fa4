// sys/process.h: starting, ending and waiting for processes; namespaces; what a process may do to itself.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "sys/fd.h"

#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif

namespace pale::sys {

using Pid = int;

struct Child {
  Pid pid = 0;  // 0 in the child itself
  Fd pidfd;     // in the parent
};
// fork() with namespaces: the child goes on from here with a copy of the memory. CLONE_NEW* in `namespaces`.
Result<Child> fork_into(std::uint64_t namespaces);

// Runs `body(argument)` in a child that shares this process's memory and, unless told otherwise, its descriptors. This
// process sleeps until the child has exec'ed or ended.
enum class Descriptors { Own, Shared };
Result<Pid> spawn_sharing_memory(int (*body)(void*), void* argument, Descriptors descriptors);

[[noreturn]] void exit_now(int code) noexcept;

struct WaitResult {
  Pid pid = 0;  // 0: nothing to report now
  int status = 0;
};
enum class WaitMode { Block, Poll };
// Any child: ended or stopped.
Result<WaitResult> wait_any(WaitMode mode);
Result<int> wait_for(Pid pid);
// The exit code of a child, as a shell says it, once it has ended. It stays to be waited for.
Result<int> wait_for_end(Pid pid);

// For the first process of a pid namespace: ends and reaps everyone else in it.
void end_pid_namespace() noexcept;
// Ends every descendant of this process, however deep; for a process that adopts orphans.
void end_descendants() noexcept;

bool has_exited(int status) noexcept;
bool has_stopped(int status) noexcept;
// As a shell says it: the code, or 128 + the signal.
int exit_code_of(int status) noexcept;

Status send_signal(Pid pid, int signal);  // negative: a process group; -1: everyone this process may signal
Status send_signal(const Fd& pidfd, int signal);
Status kill_process(const Fd& pidfd);
Result<Fd> open_pidfd(Pid pid);

Pid process_id() noexcept;
Pid parent_id() noexcept;
bool may_signal(Pid pid) noexcept;
unsigned user_id() noexcept;
unsigned group_id() noexcept;
struct Lineage {
  Pid parent = 0;
  std::uint64_t started_at = 0;  // in clock ticks since boot; with the pid it names a process for good
  bool zombie = false;
};
std::optional<Lineage> lineage_of(Pid pid);
std::uint64_t start_time(Pid pid);  // 0 if there is none

// Maps the one user and the one group of this process to themselves in a fresh user namespace.
Status map_self(unsigned user, unsigned group);
// A user namespace of its own, with itself in it: it may read and write whatever belongs to its user, whatever the modes.
Status enter_user_namespace();

Status die_with_parent();
Status outlive_parent();
Status adopt_orphans();
Status hide_memory();  // not dumpable: nobody reads its memory, environment or descriptors
Status set_host_name(const char* name);
Status change_directory(const char* path);
Status change_directory(const Fd& directory);
Status new_process_group();
Status new_session();  // and a process group of its own, without a terminal

// Overwrites what other processes would see as this one's command line and environment.
void wipe_arguments(char** argv, char** envp) noexcept;

enum class Resource { Processes, DataMemory, CoreFile };
Status limit(Resource resource, std::uint64_t most);
// When this process, or what comes of it, crashes, nothing is written, and no program of the host is started to be told.
Status forbid_core_dumps();
// As many open at a time as this user may have at all.
void allow_many_files() noexcept;

// Empties every capability set, and makes that stay so across exec.
Status drop_capabilities();
Status set_no_new_privileges();

// What the kernel says this process is, for the receipt.
struct Privileges {
  bool no_new_privileges = false;
  bool capabilities = true;  // any left, in any set
  int seccomp_mode = 0;
};
Privileges read_privileges() noexcept;

// Closes everything from `first` on: what a caller left open is nobody's business here.
void close_from(int first) noexcept;
// Gives a descriptor a number of the caller's choice, under which it survives an exec.
Status place_descriptor(int descriptor, int number);
// Another number for the same thing, which goes with no exec.
Result<Fd> duplicate(int descriptor);
// Marks everything from `first` on close-on-exec, then looks: the descriptors that would survive an exec.
Status seal_descriptors(int first) noexcept;
Result<int> count_inheritable(int first);

// The program that this process runs.
Result<Fd> open_program();

// A program in a process of its own, with these as its input and outputs and nothing else open. Of one thread of this process
// at a time.
struct ProgramStart {
  const Fd& program;
  char* const* argv;
  char* const* envp;
  int input;
  int output;
  int errors;
};
Result<Pid> start_program(const ProgramStart& start);

// Never returns but with -errno.
long execute(const char* path, char* const* argv, char* const* envp) noexcept;
// The same with an open program.
long execute(const Fd& program, char* const* argv, char* const* envp) noexcept;
// As a shell looks for it in `search`, unless its name has a '/'. Returns only with the errno of the attempt that came closest.
int execute_from_path(const std::string& name, char* const* argv, char* const* envp, std::string_view search);

// Sleeps until another process that shares the word has set it and woken its waiters; or, with a limit, until that is over.
void wait_until_set(std::atomic<std::uint32_t>& word) noexcept;
bool wait_until_set(std::atomic<std::uint32_t>& word, std::int64_t milliseconds) noexcept;
void set_and_wake(std::atomic<std::uint32_t>& word) noexcept;

// What will be written to soon, had in one call instead of a fault for each page of it.
void expect_memory(void* memory, std::size_t size) noexcept;
void expect_stack(std::size_t size) noexcept;

// Memory that this process and its forks share.
void* share_memory(std::size_t size) noexcept;
void let_go_of_memory(void* memory, std::size_t size) noexcept;
void* private_memory(std::size_t size) noexcept;

}  // namespace pale::sys
