#include "plan/filter.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>

#include <algorithm>
#include <cerrno>
#include <map>

namespace pale::plan {
namespace {

constexpr std::uint32_t kDenied = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kMissing = SECCOMP_RET_ERRNO | ENOSYS;
constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EACCES;
constexpr std::uint64_t kHighBits[] = {0, 1UL << 32U, ~0UL << 32U};
#ifdef __x86_64__
constexpr std::uint32_t kHere = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kHere = AUDIT_ARCH_AARCH64;
#endif

std::uint32_t ask(const FilterProgram& program, int number, std::initializer_list<std::uint64_t> arguments = {}) {
  seccomp_data data = {};
  data.nr = number;
  data.arch = kHere;
  std::ranges::copy(arguments, data.args);
  return evaluate(program, data);
}

FilterProgram program_for(Watching watching, Sockets sockets = Sockets::Families, Company company = Company::Own) {
  return compile_filter(syscall_sets(watching, sockets, company));
}
FilterProgram beside_the_host(Sockets sockets) { return program_for(Watching::Everything, sockets, Company::Host); }

class EveryFilter : public testing::TestWithParam<Watching> {};

void expect_as_the_sets_say(std::span<const SyscallSet> sets) {
  const FilterProgram program = compile_filter(sets);
  std::map<int, Verb> verbs;
  for (const SyscallSet& set : sets) {
    for (const int number : set.numbers)
      EXPECT_TRUE(verbs.emplace(number, set.verb).second) << number << " stands in two sets";
  }
  // With all arguments zero, the verbs that look at arguments let the call pass, but for unknown families and kinds.
  for (int number = 0; number < 2000; ++number) {
    std::uint32_t expected = number > newest_reviewed() ? kMissing : SECCOMP_RET_ALLOW;
    if (const auto found = verbs.find(number); found != verbs.end()) {
      if (found->second == Verb::Deny) expected = kDenied;
      if (found->second == Verb::Missing) expected = kMissing;
      if (found->second == Verb::Notify) expected = SECCOMP_RET_USER_NOTIF;
      if (found->second == Verb::KnownFamilies) expected = SECCOMP_RET_ERRNO | EAFNOSUPPORT;
      if (found->second == Verb::NoSockets || found->second == Verb::StreamPairs) expected = kRefused;
      if (number == __NR_ioprio_set && found->second == Verb::OwnPriority) expected = kDenied;
    }
    EXPECT_EQ(ask(program, number), expected) << number;
  }
}

TEST_P(EveryFilter, AnswersEveryNumberAsItsSetSays) {
  expect_as_the_sets_say(syscall_sets(GetParam(), Sockets::Families, Company::Own));
  expect_as_the_sets_say(syscall_sets(GetParam(), Sockets::None, Company::Host));
}

TEST_P(EveryFilter, KillsCallsOfAnotherArchitecture) {
  const FilterProgram program = program_for(GetParam());
  for (const std::uint32_t architecture :
       std::initializer_list<std::uint32_t>{AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_PPC64, 0}) {
    seccomp_data data = {};
    data.arch = architecture;
    data.nr = __NR_read;
    EXPECT_EQ(evaluate(program, data), SECCOMP_RET_KILL_PROCESS);
  }
}

#ifdef __x86_64__
TEST_P(EveryFilter, KillsX32CallsWhateverTheirNumber) {
  const FilterProgram program = program_for(GetParam());
  for (int number = 0; number < 600; ++number)
    EXPECT_EQ(ask(program, number | 0x40000000), SECCOMP_RET_KILL_PROCESS) << number;
}
#endif

INSTANTIATE_TEST_SUITE_P(, EveryFilter,
                         testing::Values(Watching::Nothing, Watching::Creating, Watching::Opening,
                                         Watching::Everything));

TEST(Filter, ReportsWhatReadsAndExecutesAndLetsListingPass) {
  for (const Watching watching : {Watching::Nothing, Watching::Creating, Watching::Everything}) {
    const FilterProgram program =
        compile_filter(syscall_sets(watching, Sockets::Families, Company::Own, Reporting::Accesses));
    constexpr std::uint64_t kReading = 0, kDirectory = O_DIRECTORY, kPlace = O_PATH;
    EXPECT_EQ(ask(program, __NR_openat, {0, 0, kReading}), SECCOMP_RET_USER_NOTIF);
    EXPECT_EQ(ask(program, __NR_openat, {0, 0, kDirectory}), SECCOMP_RET_ALLOW);
    EXPECT_EQ(ask(program, __NR_openat, {0, 0, kPlace}), SECCOMP_RET_ALLOW);
    EXPECT_EQ(ask(program, __NR_openat, {0, 0, kDirectory | O_RDWR | 020000000}), SECCOMP_RET_USER_NOTIF)
        << "O_TMPFILE";
#ifdef __x86_64__
    EXPECT_EQ(ask(program, __NR_open, {0, kReading}), SECCOMP_RET_USER_NOTIF);
    EXPECT_EQ(ask(program, __NR_open, {0, kDirectory}), SECCOMP_RET_ALLOW);
#endif
    for (const int number :
         {__NR_execve, __NR_execveat, __NR_fchmodat, __NR_fchmod, __NR_truncate, __NR_connect, __NR_chdir, __NR_fchdir,
          __NR_unlinkat, __NR_mkdirat, __NR_renameat2, __NR_linkat, __NR_symlinkat, __NR_openat2})
      EXPECT_EQ(ask(program, number), SECCOMP_RET_USER_NOTIF) << number;
    EXPECT_EQ(ask(program, __NR_mount), kDenied) << "what is refused stays refused";
  }
}

TEST(Filter, WithoutAReportNobodyIsAskedAboutReadingAndExecuting) {
  for (const Watching watching : {Watching::Nothing, Watching::Creating, Watching::Everything}) {
    EXPECT_EQ(ask(program_for(watching), __NR_execve), SECCOMP_RET_ALLOW);
    EXPECT_EQ(ask(program_for(watching), __NR_connect), SECCOMP_RET_ALLOW);
    EXPECT_EQ(ask(program_for(watching), __NR_openat, {0, 0, O_RDONLY}), SECCOMP_RET_ALLOW);
  }
}

TEST(Filter, StaysSmallBecauseInstallingCostsByTheInstruction) {
  EXPECT_LE(program_for(Watching::Creating).size(), 180U);
  // A jump reaches no further.
  EXPECT_LE(
      compile_filter(syscall_sets(Watching::Everything, Sockets::Internet, Company::Host, Reporting::Accesses)).size(),
      255U);
}

TEST(Filter, AsksAboutAnOpenOnlyIfItsFlagsWouldCreateOrWrite) {
  const FilterProgram program = program_for(Watching::Creating);
  constexpr std::uint64_t kReadOnly = 0, kDirectory = 0200000, kCloexec = 02000000;
  for (const std::uint64_t plain : {kReadOnly, kDirectory, kCloexec, kDirectory | kCloexec}) {
    EXPECT_EQ(ask(program, __NR_openat, {0, 0, plain}), SECCOMP_RET_ALLOW) << plain;
  }
  for (const std::uint64_t writing : {01UL, 02UL, 0100UL, 01000UL, 020200000UL, kCloexec | 0101UL}) {
    EXPECT_EQ(ask(program, __NR_openat, {0, 0, writing}), SECCOMP_RET_USER_NOTIF) << writing;
  }
}

TEST(Filter, AsksAboutEveryOpenWhileSomethingHiddenIsMissing) {
  EXPECT_EQ(ask(program_for(Watching::Opening), __NR_openat, {0, 0, 0}), SECCOMP_RET_USER_NOTIF);
}

TEST(Filter, DeniesEveryNamespaceFlagAndOnlyThose) {
  const FilterProgram program = program_for(Watching::Nothing);
  constexpr std::uint64_t kFlags = 0x7E020080;  // all CLONE_NEW*
  for (unsigned bit = 0; bit < 32; ++bit) {
    const std::uint64_t flag = 1UL << bit;
    const std::uint32_t expected = (flag & kFlags) != 0 ? kDenied : SECCOMP_RET_ALLOW;
    EXPECT_EQ(ask(program, __NR_clone, {flag}), expected) << bit;
    EXPECT_EQ(ask(program, __NR_unshare, {flag}), expected) << bit;
  }
}

TEST(Filter, DeniesPushedTerminalInputAlsoWithHighBitsSet) {
  const FilterProgram program = program_for(Watching::Nothing);
  constexpr std::uint64_t kPushInput = 0x5412, kConsole = 0x541c, kWindowSize = 0x5413;
  for (const std::uint64_t high : kHighBits) {
    EXPECT_EQ(ask(program, __NR_ioctl, {0, kPushInput | high}), kDenied);
    EXPECT_EQ(ask(program, __NR_ioctl, {0, kConsole | high}), kDenied);
    EXPECT_EQ(ask(program, __NR_ioctl, {0, kWindowSize | high}), SECCOMP_RET_ALLOW);
  }
}

TEST(Filter, DeniesIoctlsThatMakeOrRemoveSubvolumesAndLetsThoseOfFilesPass) {
  const FilterProgram program = program_for(Watching::Nothing);
  constexpr std::uint64_t kSnapshot = 0x50009401, kSubvolume = 0x5000940e, kDestroy = 0x5000940f,
                          kSnapshot2 = 0x50009417, kSubvolume2 = 0x50009418, kDestroy2 = 0x5000943f,
                          kBcachefs = 0x4020bc10, kBcachefsEnd = 0x4020bc11;
  constexpr std::uint64_t kClone = 0x40049409, kCloneRange = 0x4020940d, kSame = 0xc0189436, kAttributes = 0x80086601;
  for (const std::uint64_t high : kHighBits) {
    for (const std::uint64_t naming :
         {kSnapshot, kSubvolume, kDestroy, kSnapshot2, kSubvolume2, kDestroy2, kBcachefs, kBcachefsEnd})
      EXPECT_EQ(ask(program, __NR_ioctl, {0, naming | high}), kDenied) << naming;
    for (const std::uint64_t plain : {kClone, kCloneRange, kSame, kAttributes})
      EXPECT_EQ(ask(program, __NR_ioctl, {0, plain | high}), SECCOMP_RET_ALLOW) << plain;
  }
}

TEST(Filter, LetsFourSocketFamiliesThrough) {
  const FilterProgram program = program_for(Watching::Nothing);
  constexpr std::uint64_t kUnix = 1, kInet = 2, kInet6 = 10, kNetlink = 16;
  for (std::uint64_t family = 0; family < 64; ++family) {
    const bool known = family == kUnix || family == kInet || family == kInet6 || family == kNetlink;
    EXPECT_EQ(ask(program, __NR_socket, {family, 1, 0}), known ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EAFNOSUPPORT)
        << family;
  }
  // Netlink only for routes: other protocols reach the kernel's audit, netfilter, device events.
  for (std::uint64_t protocol = 1; protocol < 32; ++protocol) {
    EXPECT_EQ(ask(program, __NR_socket, {kNetlink, 3, protocol}), SECCOMP_RET_ERRNO | EAFNOSUPPORT) << protocol;
  }
}

TEST(Filter, AsksAboutTheSocketsThatNeedLoopback) {
  const FilterProgram program = program_for(Watching::Creating, Sockets::Announced);
  const FilterProgram plain = program_for(Watching::Creating, Sockets::Families);
  for (std::uint64_t family = 0; family < 64; ++family) {
    for (std::uint64_t protocol = 0; protocol < 32; ++protocol) {
      const std::uint32_t allowed = family == 1 ? SECCOMP_RET_ALLOW : SECCOMP_RET_USER_NOTIF;
      const bool known = ask(plain, __NR_socket, {family, 1, protocol}) == SECCOMP_RET_ALLOW;
      EXPECT_EQ(ask(program, __NR_socket, {family, 1, protocol}), known ? allowed : SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    }
  }
}

TEST(Filter, LetsNoUnixSocketThroughWhereThoseOfTheHostHaveNames) {
  const FilterProgram none = beside_the_host(Sockets::None), internet = beside_the_host(Sockets::Internet);
  const FilterProgram usual = program_for(Watching::Everything);
  for (const std::uint64_t high : kHighBits) {
    for (std::uint64_t family = 0; family < 64; ++family) {
      for (std::uint64_t protocol = 0; protocol < 4; ++protocol) {
        EXPECT_EQ(ask(none, __NR_socket, {family | high, 1, protocol}), kRefused) << family;
        const std::uint32_t otherwise = ask(usual, __NR_socket, {family | high, 1, protocol});
        EXPECT_EQ(ask(internet, __NR_socket, {family | high, 1, protocol}), family == 1 ? kRefused : otherwise)
            << family;
      }
    }
  }
}

TEST(Filter, LetsOnlyPairsThroughThatCanSendToNobodyElse) {
  constexpr std::uint64_t kNonBlocking = 04000, kCloseOnExec = 02000000;
  const FilterProgram program = beside_the_host(Sockets::Internet), usual = program_for(Watching::Everything);
  for (const std::uint64_t high : kHighBits) {
    for (const std::uint64_t flags : {0UL, kNonBlocking, kCloseOnExec, kNonBlocking | kCloseOnExec}) {
      for (std::uint64_t type = 0; type < 16; ++type) {
        const bool connected = type == 1 || type == 5;  // SOCK_STREAM, SOCK_SEQPACKET
        EXPECT_EQ(ask(program, __NR_socketpair, {1 | high, type | flags | high}),
                  connected ? SECCOMP_RET_ALLOW : kRefused)
            << type;
        EXPECT_EQ(ask(program, __NR_socketpair, {30 | high, type | flags}), kRefused) << "TIPC";
        EXPECT_EQ(ask(usual, __NR_socketpair, {1, type | flags}), SECCOMP_RET_ALLOW);
      }
    }
  }
}

TEST(Filter, DeniesMemoryAndQueuesThatWouldBeTheHosts) {
  for (const int number : {__NR_shmget, __NR_shmat, __NR_shmctl, __NR_msgget, __NR_msgsnd, __NR_msgrcv, __NR_msgctl,
                           __NR_semget, __NR_semop, __NR_semctl, __NR_semtimedop, __NR_mq_open, __NR_mq_unlink}) {
    EXPECT_EQ(ask(beside_the_host(Sockets::Internet), number), kDenied) << number;
    EXPECT_EQ(ask(program_for(Watching::Everything), number), SECCOMP_RET_ALLOW) << number;
  }
  EXPECT_EQ(ask(beside_the_host(Sockets::Internet), 469), kMissing) << "file_setattr";
}

TEST(Filter, LetsOnlyOnesOwnLimitsBeSetAndAllBeSeen) {
  const FilterProgram program = beside_the_host(Sockets::None);
  for (const std::uint64_t high : kHighBits) {
    for (const std::uint64_t address : {0x1000UL, 0x7fff00000000UL, 0x7fff12345678UL}) {
      EXPECT_EQ(ask(program, __NR_prlimit64, {0 | high, 7, address}), SECCOMP_RET_ALLOW);
      EXPECT_EQ(ask(program, __NR_prlimit64, {1 | high, 7, address}), kDenied);
      EXPECT_EQ(ask(program, __NR_prlimit64, {0xffffffff | high, 7, address}), kDenied);
    }
    EXPECT_EQ(ask(program, __NR_prlimit64, {1 | high, 7, 0, 0x1000}), SECCOMP_RET_ALLOW);
  }
}

TEST(Filter, LetsOnlyOnesOwnPriorityBeSet) {
  const FilterProgram program = beside_the_host(Sockets::None);
  for (const auto& [number, own] : {std::pair(__NR_setpriority, 0UL), std::pair(__NR_ioprio_set, 1UL)}) {
    for (std::uint64_t kind = 0; kind < 4; ++kind) {
      for (const std::uint64_t high : kHighBits) {
        EXPECT_EQ(ask(program, number, {kind | high, 0 | high, 5}), kind == own ? SECCOMP_RET_ALLOW : kDenied);
        EXPECT_EQ(ask(program, number, {kind | high, 1 | high, 5}), kDenied);
      }
    }
  }
}

TEST(Filter, AllowsThePersonalityThatDebuggersSetAndNoOther) {
  const FilterProgram program = program_for(Watching::Nothing);
  for (const std::uint64_t plain : {0UL, 0x0040000UL, 0xffffffffUL})
    EXPECT_EQ(ask(program, __NR_personality, {plain}), SECCOMP_RET_ALLOW);
  for (const std::uint64_t other : {8UL, 0x0400000UL, 0x0440000UL, 0x0100000UL})
    EXPECT_EQ(ask(program, __NR_personality, {other}), kDenied);
}

TEST(Filter, EverySetSaysWhy) {
  for (const SyscallSet& set : syscall_sets(Watching::Everything, Sockets::Families, Company::Host)) {
    EXPECT_FALSE(set.name.empty());
    EXPECT_GT(set.reason.size(), 20U) << set.name;
    EXPECT_FALSE(set.numbers.empty()) << set.name;
  }
}

}  // namespace
}  // namespace pale::plan
