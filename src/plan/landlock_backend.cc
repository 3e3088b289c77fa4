#include "plan/landlock_backend.h"

#include <algorithm>

#include "boundary/rule.h"

namespace pale::plan {
namespace {

constexpr int kScopedLandlock = 6;  // signals and abstract sockets stay inside

// Landlock lets whoever finds a socket file connect to it, and knows nothing of the rest (Company::Host).
constexpr std::string_view kRefused[] = {
    "unix sockets, but for connected pairs",
    "System V shared memory, semaphores and queues; POSIX message queues",
    "limits and priorities of other processes",
};

class Planner {
 public:
  Planner(const Boundary& boundary, const Facts& facts, Weakening weakening)
      : boundary_(boundary), facts_(facts), weakening_(weakening) {}

  Result<Plan> make() {
    if (facts_.landlock_abi < kScopedLandlock) {
      return fail(ErrorKind::Unsupported,
                  "the landlock backend needs Landlock of Linux 6.12 (ABI 6); this kernel has ABI",
                  std::to_string(facts_.landlock_abi), "pale doctor");
    }
    plan_.landlock_abi = facts_.landlock_abi;
    plan_.watching = Watching::Nothing;
    for (const Grant& grant : boundary_.grants()) PALE_CHECK(add_grant(grant));
    for (const Protection& protection : boundary_.protections()) PALE_CHECK(add_protection(protection));
    add_devices();
    PALE_CHECK(add_network());
    plan_.refused.assign(std::begin(kRefused), std::end(kRefused));
    if (facts_.listener_taken) {
      plan_.weaker.emplace_back(
          "modes, owners and times of readable files are guarded by the boundary around this one only");
    } else {
      plan_.watching = Watching::Everything;  // also for modes, owners and times, of which Landlock says nothing
    }
    return std::move(plan_);
  }

 private:
  Status add_grant(const Grant& grant) {
    if (!grant.layers.empty()) {
      return fail(ErrorKind::Unsupported, "the landlock backend cannot keep changes apart in", grant.origin,
                  "pale doctor, which says what namespaces need here; or leave out --stage");
    }
    if (grant.source != grant.path) {
      return refuse("show " + grant.source.text() + " at " + grant.path.text(), "it cannot show a file at another path",
                    grant.origin);
    }
    const Grant* above = grant.path.is_root() ? nullptr : boundary_.grant_for(grant.path.parent());
    if (above != nullptr && above->access > grant.access && !outer_keeps(grant.path, grant.access)) {
      return refuse(std::string(grant.access == Access::None ? "hide " : "keep read-only ") + grant.path.text(),
                    "it lies inside " + above->path.text() + ", which is granted (" + above->origin +
                        "), and Landlock cannot take a part back",
                    grant.origin);
    }
    if (grant.access == Access::None) return {};
    const Kind kind = facts_.kind_of(grant.source);
    if (kind == Kind::Missing) {
      return fail(ErrorKind::NotFound, "no such file or directory:", grant.source.text(),
                  "create it first, or leave out " + grant.origin);
    }
    if (above != nullptr && above->access == Access::Write && grant.removal > above->removal)
      return refuse("keep what lies in " + grant.path.text() + " from being removed",
                    "it lies inside " + above->path.text() + ", where that is allowed (" + above->origin + ")",
                    grant.origin);
    plan_.landlock.push_back({grant.path, access_at(boundary_, grant, grant.path), grant.removal});
    return {};
  }

  // Whether a boundary around this one, made by Pale and kept by the kernel, already keeps it.
  bool outer_keeps(const Path& path, Access most) const {
    if (!facts_.outer) return false;
    if (facts_.outer->protection_for(path) != nullptr && most >= Access::Read) return true;
    const Grant* grant = facts_.outer->grant_for(path);
    return grant == nullptr || grant->access <= most;
  }

  Status add_protection(const Protection& protection) {
    const Grant* grant = boundary_.grant_for(protection.path);
    if (grant == nullptr || grant->access != Access::Write) return {};
    if (outer_has(protection)) return {};
    if (facts_.listener_taken) {
      return refuse("protect " + protection.path.text(),
                    "it lies inside " + grant->path.text() +
                        ", which is writable, and the boundary around this one does not protect it",
                    protection.origin,
                    "make " + grant->path.text() + " read-only (--ro) and grant the parts that change (--rw)");
    }
    if (weakening_ == Weakening::Refused) {
      return refuse(
          "protect " + protection.path.text() + " firmly",
          "it lies inside " + grant->path.text() + ", which is writable, and only a mount could hold it there",
          protection.origin,
          "accept protection that rests on notification alone with " + std::string(kWeakFlag) + ", or make " +
              grant->path.text() + " read-only (--ro)");
    }
    plan_.weaker.push_back("protected " + protection.path.text() + " rests on notification alone (" +
                           std::string(kWeakFlag) + ")");
    return {};
  }

  bool outer_has(const Protection& protection) const {
    if (!facts_.outer) return false;
    if (outer_keeps(protection.path, Access::Read)) return true;
    return std::ranges::any_of(facts_.outer->protections(), [&](const Protection& theirs) {
      return theirs.path == protection.path && theirs.match == protection.match;
    });
  }

  void add_devices() {
    for (const std::string_view path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"}) {
      plan_.landlock.push_back({Path::literal(path), Access::Write});
    }
    for (const std::string_view path : {"/dev/random", "/dev/urandom", "/proc"}) {
      plan_.landlock.push_back({Path::literal(path), Access::Read});
    }
  }

  Status add_network() {
    plan_.own_network = false;
    // Without a network namespace "none" means no internet sockets at all, loopback included; unless loopback is all there is.
    // Loopback with a proxy on it is more than that.
    const bool bare = facts_.only_loopback && (!facts_.outer || facts_.outer->network() != Network::Allow);
    const bool none = boundary_.network() == Network::None && !bare;
    plan_.sockets = none ? Sockets::None : Sockets::Internet;
    return boundary_.network() == Network::Allow ? check_allowed() : Status();
  }

  // Landlock knows ports, not names, and nobody stands between. Inside a boundary with that very list, that one keeps it.
  Status check_allowed() const {
    const auto has = [](const Boundary& outer, const Boundary& inner) {
      return std::ranges::all_of(inner.hosts(), [&](const HostRule& rule) { return covered(outer.hosts(), rule); });
    };
    const bool allow = facts_.outer && facts_.outer->network() == Network::Allow;
    if (allow && has(*facts_.outer, boundary_) && has(boundary_, *facts_.outer)) return {};
    if (allow)
      return fail(ErrorKind::Refused,
                  "the boundary around this one keeps another list of hosts, and no second can be kept:",
                  listed(facts_.outer->hosts()), "--network none, or the same list");
    return refuse("let through only some hosts", "it needs a network of its own", "network allow",
                  "--network none; or run where user namespaces are allowed (pale doctor)");
  }

  static Status refuse(const std::string& what, const std::string& why, const std::string& origin,
                       std::string hint = {}) {
    if (hint.empty()) hint = "leave out that rule, or run where user namespaces are allowed (pale doctor)";
    return fail(ErrorKind::Unsupported, "the landlock backend cannot " + what + " (" + origin + "):", why,
                std::move(hint));
  }

  const Boundary& boundary_;
  const Facts& facts_;
  Weakening weakening_;
  Plan plan_;
};

}  // namespace

Result<Plan> plan_landlock(const Boundary& boundary, const Facts& facts, Weakening weakening) {
  return Planner(boundary, facts, weakening).make();
}

}  // namespace pale::plan
