#include "plan/syscalls.h"

#include <asm/unistd.h>

// Numbers that Debian 12's headers do not have yet; from 424 on they are the same everywhere.
#ifndef __NR_open_tree_attr
#define __NR_open_tree_attr 467
#endif
#ifndef __NR_setxattrat
#define __NR_setxattrat 463
#define __NR_removexattrat 466
#endif
#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452
#endif
#ifndef __NR_file_setattr
#define __NR_file_setattr 469
#endif

namespace pale::plan {
namespace {

constexpr int kMounts[] = {__NR_mount,      __NR_umount2, __NR_pivot_root,    __NR_open_tree,
                           __NR_move_mount, __NR_fsopen,  __NR_fsconfig,      __NR_fsmount,
                           __NR_fspick,     __NR_chroot,  __NR_mount_setattr, __NR_open_tree_attr};
constexpr int kMachine[] = {__NR_swapon,         __NR_swapoff,     __NR_reboot,        __NR_sethostname,
                            __NR_setdomainname,  __NR_init_module, __NR_delete_module, __NR_finit_module,
                            __NR_kexec_load,     __NR_acct,        __NR_settimeofday,  __NR_quotactl,
                            __NR_quotactl_fd,    __NR_syslog,      __NR_vhangup,       __NR_nfsservctl,
#ifdef __x86_64__
                            __NR_iopl,           __NR_ioperm,      __NR_create_module, __NR_get_kernel_syms,
                            __NR_query_module,   __NR_modify_ldt,  __NR__sysctl,
#endif
#ifdef __NR_kexec_file_load
                            __NR_kexec_file_load
#endif
};
constexpr int kKernelSurface[] = {__NR_bpf,
                                  __NR_perf_event_open,
                                  __NR_userfaultfd,
                                  __NR_io_uring_setup,
                                  __NR_io_uring_enter,
                                  __NR_io_uring_register,
                                  __NR_fanotify_init};
constexpr int kKeys[] = {__NR_add_key, __NR_request_key, __NR_keyctl};
constexpr int kForeign[] = {__NR_setns, __NR_open_by_handle_at};
constexpr int kNamespaceFlags[] = {__NR_clone, __NR_unshare};
constexpr int kHiddenFlags[] = {__NR_clone3};
constexpr int kIoctls[] = {__NR_ioctl};
constexpr int kSockets[] = {__NR_socket};
constexpr int kPersonality[] = {__NR_personality};

constexpr int kPairs[] = {__NR_socketpair};
constexpr int kIpc[] = {__NR_shmget, __NR_shmat,      __NR_shmctl,  __NR_shmdt,    __NR_semget,
                        __NR_semop,  __NR_semctl,     __NR_msgget,  __NR_msgsnd,   __NR_msgrcv,
                        __NR_msgctl, __NR_semtimedop, __NR_mq_open, __NR_mq_unlink};
constexpr int kLimits[] = {__NR_prlimit64};
constexpr int kPriorities[] = {__NR_setpriority, __NR_ioprio_set};
constexpr int kFileFlags[] = {__NR_file_setattr};

constexpr int kOpening[] = {
#ifdef __NR_open
    __NR_open,
#endif
    __NR_openat};
constexpr int kNaming[] = {
#ifdef __x86_64__
    __NR_rename,   __NR_mkdir,   __NR_rmdir,    __NR_creat,  __NR_link,      __NR_unlink,    __NR_symlink, __NR_mknod,
#endif
#ifdef __NR_renameat
    __NR_renameat,
#endif
    __NR_mkdirat,  __NR_mknodat, __NR_unlinkat, __NR_linkat, __NR_symlinkat, __NR_renameat2, __NR_openat2, __NR_bind};
constexpr int kAttributes[] = {
#ifdef __x86_64__
    __NR_chmod,     __NR_chown,      __NR_lchown,       __NR_utime,        __NR_utimes,      __NR_futimesat,
#endif
    __NR_fchmod,    __NR_fchown,     __NR_fsetxattr,    __NR_fremovexattr, __NR_fchmodat,    __NR_fchownat,
    __NR_utimensat, __NR_truncate,   __NR_setxattr,     __NR_lsetxattr,    __NR_removexattr, __NR_lremovexattr,
    __NR_fchmodat2, __NR_setxattrat, __NR_removexattrat};

// Of the attributes those that change what a file is; the rest are marks on it.
constexpr int kModes[] = {
#ifdef __x86_64__
    __NR_chmod,
#endif
    __NR_fchmod, __NR_fchmodat, __NR_fchmodat2, __NR_truncate};
constexpr int kExecuting[] = {__NR_execve, __NR_execveat};
constexpr int kConnecting[] = {__NR_connect};
constexpr int kLeaving[] = {__NR_chdir, __NR_fchdir};

Verb verb_for(Watching watching, Reporting reporting) noexcept {
  if (watching == Watching::Opening) return Verb::Notify;
  return reporting == Reporting::Nothing ? Verb::NotifyIfWriting : Verb::NotifyUnlessListing;
}

Verb verb_for(Sockets sockets) noexcept {
  switch (sockets) {
    case Sockets::Families: return Verb::KnownFamilies;
    case Sockets::Announced: return Verb::AnnouncedFamilies;
    case Sockets::Internet: return Verb::InternetFamilies;
    case Sockets::None: break;
  }
  return Verb::NoSockets;
}

// The calls that set a thread's scheduling and its processors are left: a thread goes by a number as every process does, so
// pthread_setaffinity_np would be refused as well.
void add_company(std::vector<SyscallSet>& sets) {
  sets.push_back({"pairs", "a datagram socket can send to whoever has a name on the host, though it has a peer",
                  Verb::StreamPairs, kPairs});
  sets.push_back({"ipc", "shared memory, semaphores and queues are the host's", Verb::Deny, kIpc});
  sets.push_back({"limits", "a limit can end a process of the host", Verb::OwnLimits, kLimits});
  sets.push_back({"priorities", "other processes of the user would be slowed down", Verb::OwnPriority, kPriorities});
  sets.push_back({"file-flags", "changes files that cannot even be opened; libraries fall back to an open file",
                  Verb::Missing, kFileFlags});
}

}  // namespace

int flags_argument(int number) noexcept {
  switch (number) {
    case __NR_openat: return 2;
#ifdef __NR_open
    case __NR_open: return 1;
#endif
    default: return 0;
  }
}

int process_kind(int number) noexcept {
  return number == __NR_ioprio_set ? 1 : 0;  // IOPRIO_WHO_PROCESS, PRIO_PROCESS
}

std::vector<SyscallSet> syscall_sets(Watching watching, Sockets sockets, Company company, Reporting reporting) {
  std::vector<SyscallSet> sets = {
      {"mounts", "the sandbox's mounts are what protects", Verb::Deny, kMounts},
      {"machine", "clocks, modules, swap, reboot, kernel log: the host's, not a guest's", Verb::Deny, kMachine},
      {"kernel-surface", "wide interfaces with a history of escapes; io_uring also walks around this filter",
       Verb::Deny, kKernelSurface},
      {"keys", "the kernel's keyrings belong to the user's session", Verb::Deny, kKeys},
      {"foreign", "entering other namespaces, opening files without their path", Verb::Deny, kForeign},
      {"namespaces", "a namespace of one's own gives capabilities over it, and the kernel behind them",
       Verb::DenyNamespaces, kNamespaceFlags},
      {"hidden-flags", "its flags lie in memory, where a filter cannot look; libraries fall back to clone",
       Verb::Missing, kHiddenFlags},
      {"ioctls",
       "TIOCSTI and TIOCLINUX type into the user's terminal; neither Landlock nor a watch hears of a new subvolume",
       Verb::PlainIoctls, kIoctls},
      {"sockets", "families that no namespace holds here, or that few reviewed", verb_for(sockets), kSockets},
      {"personality", "other execution domains weaken address-space layout and mapping checks", Verb::PlainPersonality,
       kPersonality},
  };
  if (company == Company::Host) add_company(sets);
  const bool reports = reporting != Reporting::Nothing;
  if (watching != Watching::Nothing || reports) {
    sets.push_back({"opening", "may create or write a protected name, or read a hidden one",
                    verb_for(watching, reporting), kOpening});
    sets.push_back({"naming", "make, move or remove names; some of them may be protected", Verb::Notify, kNaming});
  }
  if (watching == Watching::Everything) {
    sets.push_back({"attributes", "no read-only mount stands in the way of these here", Verb::Notify, kAttributes});
  } else if (reports) {
    sets.push_back({"modes", "somebody wants to hear of them", Verb::Notify, kModes});
  }
  if (reports) {
    sets.push_back({"executing", "somebody wants to hear of it", Verb::Notify, kExecuting});
    sets.push_back({"connecting", "somebody wants to hear of it", Verb::Notify, kConnecting});
    sets.push_back({"leaving", "paths that are told of begin elsewhere from then on", Verb::Notify, kLeaving});
  }
  return sets;
}

int newest_reviewed() noexcept { return 470; }

}  // namespace pale::plan
