// plan/syscalls.h: what the system call filter does with which calls: named sets, each with its reason. Pure data.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace pale::plan {

enum class Verb {
  Allow,
  Deny,                 // EPERM
  Missing,              // ENOSYS: programs fall back to an older call
  Notify,               // ask the supervisor
  NotifyIfWriting,      // ask only if the flags would create or write
  NotifyUnlessListing,  // ask unless the flags open a directory, or nothing but its place
  DenyNamespaces,       // EPERM if the flags ask for a namespace
  PlainIoctls,          // EPERM for those that type for the user, and those that make or remove subvolumes
  KnownFamilies,        // sockets: unix, inet, inet6, and netlink for routes
  AnnouncedFamilies,    // the same, but ask the supervisor about all but unix
  InternetFamilies,     // the same without unix
  NoSockets,            // EACCES
  StreamPairs,          // unix sockets that are connected to each other from birth, and can be to nobody else
  OwnLimits,            // EPERM if a limit of another process would be set
  OwnPriority,          // EPERM unless the caller means itself
  PlainPersonality,     // only the usual execution domain
};

struct SyscallSet {
  std::string_view name;
  std::string_view reason;
  Verb verb;
  std::span<const int> numbers;
};

// The index of the flags argument for NotifyIfWriting, NotifyUnlessListing and DenyNamespaces.
int flags_argument(int number) noexcept;
// For OwnPriority: the first argument that means a single process.
int process_kind(int number) noexcept;

enum class Watching {
  Nothing,     // a listener exists above, or nothing is protected
  Creating,    // calls that create, write, remove or rename a name
  Opening,     // those, and every open: something hidden is not there yet
  Everything,  // those, and calls that change a file's attributes: nothing but notification protects
};
enum class Sockets {
  Families,
  Announced,  // the supervisor raises loopback as the first one is made
  Internet,   // all but unix
  None,
};

// Whom a call can mean that names a process, a key, a queue or a socket.
enum class Company {
  Own,   // namespaces keep everybody else apart
  Host,  // everybody; so such calls are refused
};

// Calls that are asked about only so that somebody hears of them; whatever they are, they are let through.
enum class Reporting {
  Nothing,
  Accesses,  // reading and executing a file, its mode, its length, and who is connected to
};

// The sets in force for a run.
std::vector<SyscallSet> syscall_sets(Watching watching, Sockets sockets, Company company,
                                     Reporting reporting = Reporting::Nothing);

// Calls with a higher number were added to Linux after this list was reviewed, and do not exist inside.
int newest_reviewed() noexcept;

}  // namespace pale::plan
