#include "plan/filter.h"

#include <linux/audit.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "base/hash.h"

namespace pale::plan {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// open flags, clone flags, ioctls, families: constants of the kernel's ABI, the same on both architectures unless noted.
constexpr std::uint32_t kWritingFlags =
    01 | 02 | 0100 | 01000 | 020000000;  // O_WRONLY O_RDWR O_CREAT O_TRUNC __O_TMPFILE
#if defined(__x86_64__)
constexpr std::uint32_t kListingFlags = 0200000 | 010000000;  // O_DIRECTORY O_PATH
#else
constexpr std::uint32_t kListingFlags = 040000 | 010000000;
#endif
constexpr std::uint32_t kNamespaceFlags = 0x00000080 | 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 |
                                          0x20000000 | 0x40000000;  // time mount cgroup uts ipc user pid net
constexpr std::uint32_t kTiocsti = 0x5412, kTioclinux = 0x541c;
// But for the last byte: what btrfs is given a name for, and bcachefs. FICLONE and its like are not among them.
constexpr std::uint32_t kIoctlGroup = 0xffffff00, kBtrfsNames = 0x50009400, kBcachefsNames = 0x4020bc00;
constexpr std::uint32_t kUnix = 1, kInet = 2, kInet6 = 10, kNetlink = 16, kNetlinkRoute = 0;
constexpr std::uint32_t kSocketType = 0xf, kStream = 1, kPackets = 5;  // what is left are SOCK_NONBLOCK, SOCK_CLOEXEC
constexpr std::uint32_t kNoRandomize = 0x0040000, kQueryPersonality = 0xffffffff;

constexpr std::size_t kMostSpecial = 128;  // calls in all sets, or a second allocation

constexpr std::uint32_t kErrno = SECCOMP_RET_ERRNO;
constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;

sock_filter statement(unsigned code, std::uint32_t k) { return {static_cast<std::uint16_t>(code), 0, 0, k}; }
sock_filter jump(unsigned code, std::uint32_t k, std::size_t if_true, std::size_t if_false) {
  return {static_cast<std::uint16_t>(code | BPF_JMP | BPF_K), static_cast<std::uint8_t>(if_true),
          static_cast<std::uint8_t>(if_false), k};
}
sock_filter give(std::uint32_t answer) { return statement(BPF_RET | BPF_K, answer); }

sock_filter load_half(int index, std::size_t half) {
  const std::size_t place = offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(index) + 4 * half;
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(place));
}
// The low half: the kernel itself looks at no more of a flags, ioctl, family or process argument, so neither half-words nor
// 2³² added to it get around the filter.
sock_filter load_argument(int index) { return load_half(index, 0); }
// Of an address the other half counts as well.
sock_filter load_upper_half(int index) { return load_half(index, 1); }

// All numbers from `first` up to the next interval's.
struct Interval {
  std::uint32_t first;
  Verb verb;
  int number;  // for the verbs that look at arguments
};

// Of the verbs that are not the same code for all calls: what makes the difference.
int particular(Verb verb, int number) {
  if (verb == Verb::NotifyIfWriting || verb == Verb::NotifyUnlessListing) return flags_argument(number);
  return verb == Verb::OwnPriority ? process_kind(number) : 0;
}

std::vector<Interval> intervals_of(std::span<const SyscallSet> sets) {
  std::vector<Interval> special;
  special.reserve(kMostSpecial);
  for (const SyscallSet& set : sets) {
    for (const int number : set.numbers) special.push_back({static_cast<std::uint32_t>(number), set.verb, number});
  }
  std::ranges::sort(special, {}, &Interval::first);
  std::vector<Interval> line;
  line.reserve(2 * special.size() + 2);
  line.push_back({0, Verb::Allow, -1});
  const auto append = [&line](Interval next) {
    if (line.back().first == next.first) line.pop_back();
    const auto same = [&](const Interval& last) {
      return last.verb == next.verb && particular(last.verb, last.number) == particular(next.verb, next.number);
    };
    if (line.empty() || !same(line.back())) line.push_back(next);
  };
  for (const Interval& interval : special) {
    append(interval);
    append({interval.first + 1, Verb::Allow, -1});
  }
  append({static_cast<std::uint32_t>(newest_reviewed()) + 1, Verb::Missing, -1});
  return line;
}

FilterProgram known_families(std::uint32_t network) {
  return {load_argument(0),
          jump(BPF_JEQ, kUnix, 6, 0),
          jump(BPF_JEQ, kInet, 4, 0),
          jump(BPF_JEQ, kInet6, 3, 0),
          jump(BPF_JEQ, kNetlink, 0, 4),
          load_argument(2),
          jump(BPF_JEQ, kNetlinkRoute, 0, 2),
          give(network),
          give(kAllow),
          give(kErrno | EAFNOSUPPORT)};
}

FilterProgram internet_families() {
  FilterProgram program = {load_argument(0), jump(BPF_JEQ, kUnix, 0, 1), give(kErrno | EACCES)};
  const FilterProgram others = known_families(kAllow);
  program.insert(program.end(), others.begin(), others.end());
  return program;
}

// SOCK_RAW is another word for a datagram there.
FilterProgram stream_pairs() {
  return {load_argument(0),
          jump(BPF_JEQ, kUnix, 0, 4),
          load_argument(1),
          statement(BPF_ALU | BPF_AND | BPF_K, kSocketType),
          jump(BPF_JEQ, kStream, 2, 0),
          jump(BPF_JEQ, kPackets, 1, 0),
          give(kErrno | EACCES),
          give(kAllow)};
}

// prlimit64(process, resource, new limit, old limit): without a new one it only looks.
FilterProgram own_limits() {
  return {load_argument(0),   jump(BPF_JEQ, 0, 5, 0), load_argument(2),     jump(BPF_JEQ, 0, 0, 2),
          load_upper_half(2), jump(BPF_JEQ, 0, 1, 0), give(kErrno | EPERM), give(kAllow)};
}

FilterProgram own_priority(int kind) {
  return {load_argument(0),     jump(BPF_JEQ, static_cast<std::uint32_t>(kind), 0, 2),
          load_argument(1),     jump(BPF_JEQ, 0, 1, 0),
          give(kErrno | EPERM), give(kAllow)};
}

FilterProgram code_of(const Interval& interval) {
  const std::uint32_t deny = kErrno | EPERM;
  switch (interval.verb) {
    case Verb::Allow: return {give(kAllow)};
    case Verb::Deny: return {give(deny)};
    case Verb::Missing: return {give(kErrno | ENOSYS)};
    case Verb::Notify: return {give(SECCOMP_RET_USER_NOTIF)};
    case Verb::NotifyIfWriting:
      return {load_argument(flags_argument(interval.number)), jump(BPF_JSET, kWritingFlags, 0, 1),
              give(SECCOMP_RET_USER_NOTIF), give(kAllow)};
    case Verb::NotifyUnlessListing:
      return {load_argument(flags_argument(interval.number)), jump(BPF_JSET, kWritingFlags, 1, 0),
              jump(BPF_JSET, kListingFlags, 1, 0), give(SECCOMP_RET_USER_NOTIF), give(kAllow)};
    case Verb::DenyNamespaces:
      return {load_argument(0), jump(BPF_JSET, kNamespaceFlags, 0, 1), give(deny), give(kAllow)};
    case Verb::PlainIoctls:
      return {load_argument(1),
              jump(BPF_JEQ, kTiocsti, 4, 0),
              jump(BPF_JEQ, kTioclinux, 3, 0),
              statement(BPF_ALU | BPF_AND | BPF_K, kIoctlGroup),
              jump(BPF_JEQ, kBtrfsNames, 1, 0),
              jump(BPF_JEQ, kBcachefsNames, 0, 1),
              give(deny),
              give(kAllow)};
    case Verb::KnownFamilies: return known_families(kAllow);
    case Verb::AnnouncedFamilies: return known_families(SECCOMP_RET_USER_NOTIF);
    case Verb::InternetFamilies: return internet_families();
    case Verb::NoSockets: return {give(kErrno | EACCES)};
    case Verb::StreamPairs: return stream_pairs();
    case Verb::OwnLimits: return own_limits();
    case Verb::OwnPriority: return own_priority(process_kind(interval.number));
    case Verb::PlainPersonality:
      return {load_argument(0), jump(BPF_JEQ, kQueryPersonality, 2, 0), jump(BPF_JSET, ~kNoRandomize, 0, 1), give(deny),
              give(kAllow)};
  }
  return {give(SECCOMP_RET_KILL_PROCESS)};
}

// A balanced tree of comparisons, with what it leads to behind it: most leaves are the same few answers, and share them.
class Tree {
 public:
  FilterProgram compile(std::span<const Interval> line) {
    nodes_.reserve(line.size());
    (void)add(line);
    std::vector<std::size_t> starts;
    std::size_t next = nodes_.size();
    for (const FilterProgram& leaf : leaves_) {
      starts.push_back(next);
      next += leaf.size();
    }
    FilterProgram program;
    program.reserve(next);
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      const auto distance = [&](const Target& target) {
        return (target.leaf ? starts[target.index] : target.index) - at - 1;
      };
      program.push_back(jump(BPF_JGE, nodes_[at].boundary, distance(nodes_[at].at_least), distance(nodes_[at].below)));
    }
    for (const FilterProgram& leaf : leaves_) program.insert(program.end(), leaf.begin(), leaf.end());
    return program;
  }

 private:
  struct Target {
    bool leaf = false;
    std::size_t index = 0;
  };
  struct Node {
    std::uint32_t boundary;
    Target at_least, below;
  };

  Target add(std::span<const Interval> line) {
    if (line.size() == 1) return add_leaf(line.front());
    const std::size_t middle = line.size() / 2;
    const std::size_t index = nodes_.size();
    nodes_.push_back({line[middle].first, {}, {}});
    const Target below = add(line.first(middle));
    const Target at_least = add(line.subspan(middle));
    nodes_[index].below = below;
    nodes_[index].at_least = at_least;
    return {false, index};
  }

  Target add_leaf(const Interval& interval) {
    const std::pair<Verb, int> kind(interval.verb, particular(interval.verb, interval.number));
    const auto same = std::ranges::find(kinds_, kind);
    const auto index = static_cast<std::size_t>(same - kinds_.begin());
    if (same == kinds_.end()) {
      kinds_.push_back(kind);
      leaves_.push_back(code_of(interval));
    }
    return {true, index};
  }

  std::vector<Node> nodes_;
  std::vector<std::pair<Verb, int>> kinds_;  // of the leaves
  std::vector<FilterProgram> leaves_;
};

}  // namespace

FilterProgram compile_filter(std::span<const SyscallSet> sets) {
  // Another architecture's calls (int 0x80, x32) have other numbers: nothing here would mean what it says.
  FilterProgram program = {
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      jump(BPF_JEQ, kArchitecture, 1, 0),
      give(SECCOMP_RET_KILL_PROCESS),
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
#if defined(__x86_64__)
      jump(BPF_JSET, 0x40000000U, 0, 1),  // __X32_SYSCALL_BIT
      give(SECCOMP_RET_KILL_PROCESS),
#endif
  };
  const FilterProgram tree = Tree().compile(intervals_of(sets));
  program.insert(program.end(), tree.begin(), tree.end());
  return program;
}

std::uint32_t evaluate(std::span<const sock_filter> program, const seccomp_data& data) {
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    const std::size_t otherwise = step.jf, then = step.jt;
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS: {
        const auto* bytes = reinterpret_cast<const unsigned char*>(&data) + step.k;
        accumulator = static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8U |
                      static_cast<std::uint32_t>(bytes[2]) << 16U | static_cast<std::uint32_t>(bytes[3]) << 24U;
        break;
      }
      case BPF_ALU | BPF_AND | BPF_K: accumulator &= step.k; break;
      case BPF_JMP | BPF_JEQ | BPF_K: at += accumulator == step.k ? then : otherwise; break;
      case BPF_JMP | BPF_JGE | BPF_K: at += accumulator >= step.k ? then : otherwise; break;
      case BPF_JMP | BPF_JSET | BPF_K: at += (accumulator & step.k) != 0 ? then : otherwise; break;
      case BPF_JMP | BPF_JA: at += step.k; break;
      case BPF_RET | BPF_K: return step.k;
      default: return SECCOMP_RET_KILL_PROCESS;
    }
  }
  return SECCOMP_RET_KILL_PROCESS;
}

std::uint64_t fingerprint(std::span<const sock_filter> program) noexcept {
  Hash hash;
  for (const sock_filter& step : program)
    hash.add(step.code).add(static_cast<std::uint64_t>(step.jt) << 8U | step.jf).add(step.k);
  return hash.value();
}

}  // namespace pale::plan
