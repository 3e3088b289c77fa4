#include "boundary/boundary.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace pale {
namespace {

Status check_absolute(const Path& path, std::string_view role) {
  if (path.is_absolute()) return {};
  return fail(ErrorKind::Usage, "a boundary needs an absolute path for " + std::string(role) + ", not", path.text(),
              "write the whole path, beginning with '/'");
}

Status check_paths(const BoundaryParts& parts) {
  PALE_CHECK(check_absolute(parts.workspace, "the workspace"));
  PALE_CHECK(check_absolute(parts.home, "the home"));
  for (const Grant& grant : parts.grants) {
    PALE_CHECK(check_absolute(grant.path, "a grant"));
    PALE_CHECK(check_absolute(grant.source, "the source of a grant"));
    for (const Path& layer : grant.layers) PALE_CHECK(check_absolute(layer, "a layer of a grant"));
  }
  for (const Protection& protection : parts.protections) {
    PALE_CHECK(check_absolute(protection.path, "a protection"));
  }
  return {};
}

Status check_environment(const std::vector<Variable>& environment) {
  for (const Variable& variable : environment) {
    if (variable.name.empty()) {
      return fail(ErrorKind::Usage, "a variable of the environment has no name; its value is", variable.value,
                  "write NAME=VALUE");
    }
    if (variable.name.find_first_of(std::string_view("=\0", 2)) != std::string::npos) {
      return fail(ErrorKind::Usage, "the name of a variable must not hold '=' or NUL:", variable.name,
                  "write NAME=VALUE");
    }
    // execve() would end the value there, and the program would see another one than was checked.
    if (variable.value.find('\0') != std::string::npos) {
      return fail(ErrorKind::Usage, "the value of a variable must not hold NUL:", variable.name,
                  "leave the variable out, or pass its value in a file");
    }
  }
  return {};
}

enum class Keep { First, Last };  // which of several with the same key

// By key, and one of each. Sorts an index, since std::stable_sort wants memory in a way the static program has not.
template <typename T, typename Key>
std::vector<T> ordered(std::vector<T> items, Key key, Keep keep) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    const auto sides = key(items[left]) <=> key(items[right]);
    return sides != 0 ? sides < 0 : left < right;
  });
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::size_t index : order) {
    if (sorted.empty() || key(sorted.back()) != key(items[index])) {
      sorted.push_back(std::move(items[index]));
    } else if (keep == Keep::Last) {
      sorted.back() = std::move(items[index]);
    }
  }
  return sorted;
}

// Whatever covers a path precedes it in the order, the shallow before the deep; so the last that covers is the nearest.
const Grant* nearest(const std::vector<Grant>& grants, const Path& path) noexcept {
  const auto found =
      std::find_if(grants.rbegin(), grants.rend(), [&](const Grant& grant) { return grant.covers(path); });
  return found == grants.rend() ? nullptr : &*found;
}

// A hidden path cannot be traversed: what is granted beneath it would be a promise that no kernel keeps.
Result<std::vector<Grant>> reachable(std::vector<Grant> grants) {
  std::vector<Grant> kept;
  kept.reserve(grants.size());
  for (Grant& grant : grants) {
    const Grant* above = nearest(kept, grant.path);
    if (above == nullptr || above->access != Access::None) {
      kept.push_back(std::move(grant));
    } else if (grant.access != Access::None) {
      return fail(ErrorKind::Usage, std::string("cannot grant ").append(to_text(grant.access)),
                  grant.path.text() + ": " + above->path.text() + " above it is hidden, so it could not be reached",
                  "hide what lies beside it by name instead, or do not hide " + above->path.text());
    }
  }
  return kept;
}

// By a grant; or it is in something that each sandbox has for itself.
bool is_there(const BoundaryParts& parts, const Path& path) {
  const auto is_in = [&](const Fixture& fixture) {
    return fixture.access == Access::Write && Path::literal(fixture.path).covers(path);
  };
  return nearest(parts.grants, path) != nullptr || std::ranges::any_of(kFixtures, is_in);
}

Status check_covered(const BoundaryParts& parts) {
  if (!is_there(parts, parts.workspace)) {
    return fail(ErrorKind::Usage, "nothing grants the workspace", parts.workspace.text(),
                "grant it, or a folder above it");
  }
  if (!is_there(parts, parts.home)) {
    return fail(ErrorKind::Usage, "nothing grants the home", parts.home.text(), "grant it, or a folder above it");
  }
  for (const Protection& protection : parts.protections) {
    if (nearest(parts.grants, protection.path) != nullptr) continue;
    return fail(ErrorKind::Usage, "cannot protect what nothing grants:", protection.path.text(),
                "protect a path inside the workspace, or grant a folder above it");
  }
  return {};
}

}  // namespace

bool Protection::covers(const Path& candidate) const noexcept {
  if (match == Match::Exact || path.is_root()) return path.covers(candidate);
  const std::string_view pattern = path.name();
  const std::string_view directory = std::string_view(path.text()).substr(0, path.text().size() - pattern.size());
  std::string_view rest = candidate.text();
  if (!rest.starts_with(directory)) return false;  // Whole components: it ends with '/'.
  rest.remove_prefix(directory.size());
  const std::string_view name = rest.substr(0, rest.find('/'));
  return !name.empty() && name_matches(pattern, name);
}

Result<Boundary> Boundary::make(BoundaryParts parts) {
  PALE_CHECK(check_paths(parts));
  PALE_CHECK(check_environment(parts.environment));
  const auto by_path = [](const Grant& grant) { return std::tie(grant.path); };
  const auto by_place = [](const Protection& protection) { return std::tie(protection.path, protection.match); };
  const auto by_name = [](const Variable& variable) { return std::tie(variable.name); };
  PALE_TRY(grants, reachable(ordered(std::move(parts.grants), by_path, Keep::Last)));
  parts.grants = std::move(grants);
  for (Grant& grant : parts.grants) {
    if (grant.access != Access::Write) grant.removal = Removal::Allowed;
  }
  parts.protections = ordered(std::move(parts.protections), by_place, Keep::First);
  parts.environment = ordered(std::move(parts.environment), by_name, Keep::Last);
  if (parts.network != Network::Allow) {
    parts.hosts.clear();
    parts.credentials.clear();
  }
  parts.hosts = simplified(std::move(parts.hosts));
  parts.credentials =
      ordered(std::move(parts.credentials), [](const Credential& each) { return std::tie(each.name); }, Keep::Last);
  PALE_CHECK(check_covered(parts));
  return Boundary(std::move(parts));
}

const Grant* Boundary::grant_for(const Path& path) const noexcept { return nearest(parts_.grants, path); }

const Protection* Boundary::protection_for(const Path& path) const noexcept {
  const Grant* grant = grant_for(path);
  if (grant == nullptr || grant->access != Access::Write) return nullptr;
  const auto found = std::find_if(parts_.protections.rbegin(), parts_.protections.rend(),
                                  [&](const Protection& protection) { return protection.covers(path); });
  return found == parts_.protections.rend() ? nullptr : &*found;
}

bool Boundary::operator==(const Boundary& other) const {
  const auto all = [](const BoundaryParts& parts) {
    return std::tie(parts.workspace, parts.home, parts.grants, parts.protections, parts.network, parts.environment,
                    parts.limits, parts.hosts, parts.credentials);
  };
  return all(parts_) == all(other.parts_);
}

std::string_view to_text(Access access) noexcept {
  switch (access) {
    case Access::None: return "none";
    case Access::List: return "list";
    case Access::Read: return "read";
    case Access::Write: return "write";
  }
  return {};
}

std::string_view to_text(Removal removal) noexcept { return removal == Removal::Denied ? "denied" : "allowed"; }

std::string_view to_text(Match match) noexcept { return match == Match::Glob ? "glob" : "exact"; }

std::string_view to_text(Network network) noexcept {
  switch (network) {
    case Network::None: return "none";
    case Network::Allow: return "allow";
    case Network::Open: return "open";
  }
  return {};
}

}  // namespace pale
