#include "plan/namespace_backend.h"

#include <algorithm>
#include <ranges>

#include "boundary/rule.h"

namespace pale::plan {
namespace {

constexpr int kFirstUsefulLandlock = 2;  // ABI 1 forbids moving a file to another directory, which git and editors do
constexpr int kScopedLandlock = 6;       // abstract sockets stay inside
constexpr std::string_view kInMemory[] = {"/tmp/", "/run/", "/dev/shm/"};
constexpr std::size_t kUsual = 48;                   // steps, mounts
constexpr std::uint64_t kLeastScratch = 1UL << 20U;  // bytes, for what is Pale's own in there

class Planner {
 public:
  Planner(const Boundary& boundary, const Facts& facts, Weakening weakening)
      : boundary_(boundary), facts_(facts), weakening_(weakening) {
    plan_.skeleton.reserve(kUsual);
    plan_.steps.reserve(kUsual);
    plan_.mounts.reserve(kUsual);
    made_.reserve(kUsual);
  }

  Result<Plan> make() {
    add_root();
    for (const Grant& grant : boundary_.grants()) PALE_CHECK(add_grant(grant));
    for (const Protection& protection : boundary_.protections()) PALE_CHECK(add_protection(protection));
    PALE_CHECK(add_network());
    PALE_CHECK(add_landlock());
    if (hides_missing_) {
      plan_.watching = Watching::Opening;
    } else {
      plan_.watching = has_writable_grant() ? Watching::Creating : Watching::Nothing;
    }
    if (boundary_.network() == Network::None && plan_.watching != Watching::Nothing) plan_.sockets = Sockets::Announced;
    return std::move(plan_);
  }

 private:
  void add(StepKind kind, Path target, std::string source = {}, Access access = Access::Read) {
    plan_.steps.push_back({kind, std::move(target), std::move(source), access});
  }

  void expect(const Path& target, bool read_only, bool no_devices = true) {
    plan_.mounts.push_back({target, read_only, no_devices});
  }

  void add_root() {
    expect(Path::root(), true);
    for (const std::string_view directory : {"/tmp", "/run", "/proc", "/dev", "/dev/pts", "/dev/shm"})
      add_directory(Path::literal(directory));
    for (const Link& link : facts_.system_links) shape(StepKind::Link, link.path, link.target);
    shape(StepKind::Link, Path::literal("/dev/ptmx"), "pts/ptmx");
    shape(StepKind::Link, Path::literal("/dev/random"), "urandom");  // the same since Linux 5.18, and a mount less
    shape(StepKind::Link, Path::literal("/dev/fd"), "/proc/self/fd");
    shape(StepKind::Link, Path::literal("/dev/stdin"), "/proc/self/fd/0");
    shape(StepKind::Link, Path::literal("/dev/stdout"), "/proc/self/fd/1");
    shape(StepKind::Link, Path::literal("/dev/stderr"), "/proc/self/fd/2");
    add(StepKind::Processes, Path::literal("/proc"));
    expect(Path::literal("/proc"), true);
    // Also in a proc of its own it lists what the user's keyrings hold.
    if (const Path keys = Path::literal(kKeysFile); facts_.kind_of(keys) == Kind::File) add_device(keys, "/dev/null");
    for (const std::string_view name : kDevices) {
      shape(StepKind::File, Path::literal("/dev") / name);
      add_device(Path::literal("/dev") / name, "/dev/" + std::string(name));
    }
    if (!facts_.terminal.empty()) {
      shape(StepKind::File, Path::literal("/dev/console"));
      add_device(Path::literal("/dev/console"), facts_.terminal);
    }
    add(StepKind::Seal, Path::root());
    add_writable();
  }

  void add_writable() {
    // What is written to /tmp is memory, and the kernel counts it only where cgroups do.
    const auto memory = boundary_.limits().memory;
    add(StepKind::Scratch, Path::literal("/run"), memory ? std::to_string(std::max(*memory, kLeastScratch)) : "");
    expect(Path::literal("/run"), true);
    add_directory(Path::literal("/run/pale"));
    add(StepKind::Private, Path::literal("/tmp"), "/run/pale/tmp");
    expect(Path::literal("/tmp"), false);
    add(StepKind::Private, Path::literal("/dev/shm"), "/run/pale/shm");
    expect(Path::literal("/dev/shm"), false);
    add(StepKind::Terminals, Path::literal("/dev/pts"));
    expect(Path::literal("/dev/pts"), false, false);
  }

  void add_device(const Path& target, std::string source) {
    add(StepKind::Device, target, std::move(source));
    expect(target, true, false);
  }

  // A part of the new root. What lies in memory is made anew for each run.
  void shape(StepKind kind, const Path& target, std::string source = {}) {
    const bool in_memory =
        std::ranges::any_of(kInMemory, [&](std::string_view top) { return target.text().starts_with(top); });
    (in_memory ? plan_.steps : plan_.skeleton).push_back({kind, target, std::move(source)});
  }

  // With what lies above it.
  void add_directory(const Path& path) {
    if (path.is_root() || std::ranges::find(made_, path) != made_.end()) return;
    add_directory(path.parent());
    made_.push_back(path);
    shape(StepKind::Directory, path);
  }

  Status add_grant(const Grant& grant) {
    const Grant* above = grant.path.is_root() ? nullptr : boundary_.grant_for(grant.path.parent());
    if (above != nullptr) pin_between(above->path, grant.path);
    if (grant.access == Access::None) return hide(grant);
    const Kind kind = facts_.kind_of(grant.source);
    if (kind == Kind::Missing || kind == Kind::Symlink) {
      return fail(ErrorKind::NotFound, "there is nothing to show at " + grant.path.text() + ": no file or directory",
                  grant.source.text(), "create it first, or leave out " + grant.origin);
    }
    if (above == nullptr) {
      add_directory(grant.path.parent());
      pin_passage(grant.path);
      if (kind == Kind::Directory) {
        add_directory(grant.path);
      } else {
        shape(StepKind::File, grant.path);
      }
    }
    show(grant);
    return {};
  }

  void show(const Grant& grant) {
    const Access access = access_at(boundary_, grant, grant.path);  // less, if a protection lies above it
    const bool writable = access == Access::Write;
    if (!grant.layers.empty()) {
      plan_.steps.push_back({StepKind::Overlay, grant.path, grant.source.text(), access, grant.layers});
      plan_.mounts.push_back({grant.path, !writable, true, true});
      return;
    }
    if (is_staged(boundary_, grant)) {
      add(writable ? StepKind::Reopen : StepKind::Protect, grant.path);
    } else {
      add(StepKind::Bind, grant.path, grant.source.text(), access);
    }
    expect(grant.path, !writable);
  }

  Status hide(const Grant& grant) {
    const Kind kind = facts_.kind_of(grant.source);
    for (Path above = grant.path.parent(); !above.is_root(); above = above.parent()) {
      if (facts_.kind_of(above) == Kind::Symlink) return fail_symlink(above, grant.origin);
    }
    if (kind == Kind::Missing) {
      hides_missing_ = true;  // watched for instead
      return {};
    }
    if (kind == Kind::Symlink) return fail_symlink(grant.path, grant.origin);
    add(StepKind::Hide, grant.path);
    expect(grant.path, true);
    return {};
  }

  Status add_protection(const Protection& protection) {
    const Grant* grant = boundary_.grant_for(protection.path);
    if (grant == nullptr || grant->access != Access::Write) return {};
    for (Path above = protection.path.parent(); above != grant->path && grant->covers(above); above = above.parent()) {
      const Kind kind = facts_.kind_of(host_path(*grant, above));
      if (kind == Kind::Symlink) return fail_symlink(above, protection.origin);
    }
    pin_between(grant->path, protection.path);
    if (protection.match == Match::Exact) return protect(protection.path, *grant, protection.origin);
    for (const PathFact& fact : facts_.paths) {
      const Path inside = fact.path == grant->source ? grant->path : grant->path / grant->source.below(fact.path);
      if (grant->source.covers(fact.path) && inside.parent() == protection.path.parent() && protection.covers(inside)) {
        PALE_CHECK(protect(inside, *grant, protection.origin));
      }
    }
    return {};
  }

  Status protect(const Path& path, const Grant& grant, const std::string& origin) {
    const Kind kind = facts_.kind_of(host_path(grant, path));
    if (kind == Kind::Symlink) return fail_symlink(path, origin);
    if (kind == Kind::Missing) return {};
    add(StepKind::Protect, path);
    expect(path, true);
    return {};
  }

  static Status fail_symlink(const Path& path, const std::string& origin) {
    return fail(ErrorKind::Refused,
                "a protected or hidden path must not be, or lead through, a symbolic link:", path.text(),
                "replace the link by what it points to (" + origin + ")");
  }

  // The directories strictly between: moving one of them would take the mounts beneath it along.
  void pin_between(const Path& above, const Path& below) {
    const Grant* grant = boundary_.grant_for(above);
    if (grant == nullptr || grant->access != Access::Write) return;
    std::vector<Path> between;
    for (Path path = below.parent(); path != above && above.covers(path); path = path.parent()) between.push_back(path);
    for (const Path& path : between | std::views::reverse) {
      const bool pinned = std::ranges::find(pinned_, path) != pinned_.end() || boundary_.grant_for(path)->path == path;
      if (pinned || facts_.kind_of(host_path(*grant, path)) != Kind::Directory) continue;
      pinned_.push_back(path);
      add(StepKind::Pin, path);
      expect(path, false);
    }
  }

  static const Fixture& fixture(std::string_view path) { return *std::ranges::find(kFixtures, path, &Fixture::path); }

  // In a private directory the way to a grant could be moved, and the grant with it, to where no rule is about it.
  void pin_passage(const Path& grant) {
    for (const Fixture& fixture : kFixtures) {
      const Path top = Path::literal(fixture.path);
      if (fixture.access != Access::Write || !top.covers(grant)) continue;
      std::vector<Path> way;
      for (Path path = grant.parent(); path != top && top.covers(path); path = path.parent()) way.push_back(path);
      for (const Path& path : way | std::views::reverse) {
        if (std::ranges::find(pinned_, path) != pinned_.end()) continue;
        pinned_.push_back(path);
        add(StepKind::Pin, path);
        expect(path, false);
      }
    }
  }

  Status add_network() {
    plan_.own_network = boundary_.network() != Network::Open;
    if (boundary_.network() == Network::Allow) {
      PALE_TRY(gate, plan_gate(boundary_));
      plan_.gate = std::move(gate);
    }
    if (!plan_.own_network && facts_.landlock_abi < kScopedLandlock) {
      return fail(
          ErrorKind::Unsupported,
          "with --network open the abstract sockets of the host can be reached, and only Landlock of Linux 6.12",
          "keeps them out", "use --network none");
    }
    return {};
  }

  Status add_landlock() {
    if (facts_.landlock_abi < kFirstUsefulLandlock && weakening_ == Weakening::Refused) {
      return fail(ErrorKind::Unsupported, "this kernel has no Landlock, or one that is too old to be of use: ABI",
                  std::to_string(facts_.landlock_abi),
                  "pale doctor; or accept one guard less with " + std::string(kWeakFlag));
    }
    if (facts_.landlock_abi < kFirstUsefulLandlock) {
      if (any_listed()) return fail_without_landlock();
      if (std::ranges::any_of(boundary_.grants(), is_held)) return fail_to_hold();
      plan_.weaker.push_back("mounts, filter and watch hold without Landlock (" + std::string(kWeakFlag) + ")");
      return {};
    }
    plan_.landlock_abi = facts_.landlock_abi;
    PALE_CHECK(add_readable());
    // A rule costs as much as a mount. Before signals stayed inside, that the random device cannot be written was all that
    // showed Landlock to be in force.
    if (access_at(boundary_, fixture("/tmp")) == Access::Write)
      plan_.landlock.push_back({Path::literal("/tmp"), Access::Write});
    if (facts_.landlock_abi >= kScopedLandlock) {
      plan_.landlock.push_back({Path::literal("/dev"), Access::Write});
    } else {
      for (const std::string_view path : {"/dev/shm", "/dev/pts", "/dev/null", "/dev/zero", "/dev/full", "/dev/tty"})
        plan_.landlock.push_back({Path::literal(path), Access::Write});
    }
    for (const Grant& grant : boundary_.grants()) {
      const Access access = access_at(boundary_, grant, grant.path);
      if (access != Access::Write) continue;
      PALE_CHECK(check_held(grant));
      plan_.landlock.push_back({grant.path, access, grant.removal});
    }
    return {};
  }

  // A rule is about a folder, however it is come by, and rules only add.
  Status check_held(const Grant& grant) const {
    if (!is_held(grant)) return {};
    for (const Grant& other : boundary_.grants()) {
      const bool nested = other.source.covers(grant.source) || grant.source.covers(other.source);
      if (nested && access_at(boundary_, other, other.path) == Access::Write && !is_held(other))
        return fail(ErrorKind::Unsupported,
                    "what lies in " + grant.path.text() + " cannot be kept from being removed (" + grant.origin + "):",
                    "the same can be written at " + other.path.text() + " (" + other.origin + ")",
                    "say the same of both, or ask for one of them");
    }
    return {};
  }

  static bool is_held(const Grant& grant) { return grant.access == Access::Write && grant.removal == Removal::Denied; }
  static Status fail_to_hold() {
    return fail(ErrorKind::Unsupported, "without Landlock, files cannot be written and kept from being removed", "",
                R"(delete = "ask" for that zone, or write = "blocked" as well)");
  }
  static bool is_listed(const Grant& grant) { return grant.access == Access::List; }
  bool any_listed() const { return std::ranges::any_of(boundary_.grants(), is_listed); }

  static Status fail_without_landlock() {
    return fail(ErrorKind::Unsupported, "without Landlock, files cannot be closed while their names are shown", "",
                "--trust read_only");
  }

  // Mostly everything that is shown can be read. Where of something only the names may be seen, what can be read is said one
  // by one: rules only add, and reach all that lies beneath.
  Status add_readable() {
    plan_.landlock.push_back({Path::root(), any_listed() ? Access::List : Access::Read});
    if (!any_listed()) return {};
    for (const std::string_view path : {"/proc", "/dev", "/run"}) {
      plan_.landlock.push_back({Path::literal(path), Access::Read});
    }
    for (const Grant& grant : boundary_.grants()) {
      if (access_at(boundary_, grant, grant.path) == Access::Read) plan_.landlock.push_back({grant.path, Access::Read});
      if (!is_listed(grant)) continue;
      const Grant* above = boundary_.grant_for(grant.path.parent());
      if (above != nullptr && !is_listed(*above)) return fail_listed(grant, *above);
    }
    return {};
  }

  static Status fail_listed(const Grant& grant, const Grant& above) {
    return fail(ErrorKind::Unsupported,
                "inside something readable, files cannot be closed while their names are shown (" + grant.origin + "):",
                grant.path.text() + " in " + above.path.text(),
                "leave out " + above.origin + " for " + above.path.text());
  }

  bool has_writable_grant() const {
    return std::ranges::any_of(boundary_.grants(), [](const Grant& grant) { return grant.access == Access::Write; });
  }

  const Boundary& boundary_;
  const Facts& facts_;
  Weakening weakening_;
  Plan plan_;
  std::vector<Path> made_;
  std::vector<Path> pinned_;
  bool hides_missing_ = false;
};

}  // namespace

Result<Plan> plan_namespaces(const Boundary& boundary, const Facts& facts, Weakening weakening) {
  return Planner(boundary, facts, weakening).make();
}

}  // namespace pale::plan
