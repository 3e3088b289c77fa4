// boundary/boundary.h: the policy value. What may be seen, read, written, reached, spent; nothing else grants. Touches no disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/path.h"
#include "boundary/host_rule.h"

namespace pale {

// In the order of what they allow. A path that no grant covers does not exist inside at all.
enum class Access {
  None,   // it cannot be opened
  List,   // names and attributes can be seen; no file can be opened
  Read,   // includes executing
  Write,  // includes reading
};

// Whether what lies in something writable can be removed, moved or given another name. In the order of what they refuse.
enum class Removal { Allowed, Denied };

// One path inside, what of the host stands there, and what may be done with it and beneath it.
struct Grant {
  Path path;  // where it appears inside
  Access access;
  Path source;         // what of the host it is; for a local project the same as `path`
  std::string origin;  // who said so: "--rw", "system", "workspace"
  // A stage over the source: directories of the host, the one that takes all changes first. Without one, the source is changed.
  std::vector<Path> layers;
  Removal removal = Removal::Allowed;  // of what is not writable: the same, since nothing there can be

  bool covers(const Path& candidate) const noexcept { return path.covers(candidate); }
  bool operator==(const Grant&) const = default;
};

enum class Match { Exact, Glob };  // Glob: '*' and '?' in the last component

// A path that stays as it is inside something writable: readable, never changed, and if it is missing, never created.
struct Protection {
  Path path;
  Match match = Match::Exact;
  std::string origin;

  // The protected path itself and everything beneath it.
  bool covers(const Path& candidate) const noexcept;
  // Directories above it: they may be made, but not moved, removed or replaced, or the protection would move with them.
  bool is_below(const Path& candidate) const noexcept { return candidate.covers(path.parent()) && !covers(candidate); }
  bool operator==(const Protection&) const = default;
};

// In the order of what they allow.
enum class Network {
  None,   // loopback
  Allow,  // the hosts of a list, through a proxy of Pale's
  Open,   // the host's own
};

// A key that is used inside and stays outside: what is sent to a door on loopback goes out to a host, with the key added.
struct Credential {
  std::string name;
  std::string host;        // normal; or an address
  std::uint16_t port = 0;  // of the host
  std::uint16_t door = 0;  // the port on loopback
  bool operator==(const Credential&) const = default;
};

struct Variable {
  std::string name;
  std::string value;
  std::string origin;
  bool operator==(const Variable&) const = default;
};

struct Limits {
  std::optional<std::uint64_t> memory;   // bytes
  std::optional<std::uint64_t> pids;     // processes and threads at a time
  std::optional<std::uint64_t> seconds;  // of wall-clock time
  // With Network::Allow, of all connections together:
  std::optional<std::uint64_t> connections;
  std::optional<std::uint64_t> requests;      // of HTTP, where Pale sees them: not inside TLS
  std::optional<std::uint64_t> traffic;       // bytes in both directions
  std::optional<std::uint64_t> host_traffic;  // bytes with each host
  bool operator==(const Limits&) const = default;
};

// The raw material of a Boundary, in any order. Of two grants for one path the later one counts.
struct BoundaryParts {
  Path workspace = Path::root();  // inside
  Path home = Path::root();       // inside
  std::vector<Grant> grants;
  std::vector<Protection> protections;
  Network network = Network::None;
  std::vector<Variable> environment;
  Limits limits;
  // With Network::Allow:
  std::vector<HostRule> hosts;
  std::vector<Credential> credentials;
};

// Immutable, ordered (parents before children), complete. Prints, compares and serialises.
class Boundary {
 public:
  // Refuses relative paths, a workspace or home that no grant and no writable fixture covers, a protection outside every grant,
  // a variable whose name is empty or holds '=' or NUL, or whose value holds NUL. Refuses a grant beneath a hidden path
  // (Access::None): it could never be reached. Of hosts and credentials it keeps none but with Network::Allow. Hiding again beneath a hidden path says nothing and is dropped.
  static Result<Boundary> make(BoundaryParts parts);

  const Path& workspace() const noexcept { return parts_.workspace; }
  const Path& home() const noexcept { return parts_.home; }
  const std::vector<Grant>& grants() const noexcept { return parts_.grants; }
  const std::vector<Protection>& protections() const noexcept { return parts_.protections; }
  Network network() const noexcept { return parts_.network; }
  const std::vector<Variable>& environment() const noexcept { return parts_.environment; }
  const Limits& limits() const noexcept { return parts_.limits; }
  const std::vector<HostRule>& hosts() const noexcept { return parts_.hosts; }
  const std::vector<Credential>& credentials() const noexcept { return parts_.credentials; }
  const BoundaryParts& parts() const noexcept { return parts_; }

  // The most specific grant for a path, or none.
  const Grant* grant_for(const Path& path) const noexcept;
  // The protection that covers a path inside something writable, or none.
  const Protection* protection_for(const Path& path) const noexcept;

  bool operator==(const Boundary& other) const;

 private:
  explicit Boundary(BoundaryParts parts) : parts_(std::move(parts)) {}
  BoundaryParts parts_;
};

// What every sandbox has beside its grants: made fresh for it, shared with nobody.
struct Fixture {
  std::string_view path;
  Access access;
  std::string_view sentence;
};
inline constexpr Fixture kFixtures[] = {
    {"/proc", Access::Read, "its own processes"},
    {"/dev", Access::Read, "null, zero, full, random, urandom, tty and terminals of its own"},
    {"/dev/shm", Access::Write, "private, gone with the run"},
    {"/tmp", Access::Write, "private, gone with the run"},
    {"/run", Access::Read, "Pale's own: what it says of this boundary"},
};

// Below /dev, what may be written although nothing there may be changed.
inline constexpr std::string_view kWritableDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"};

std::string_view to_text(Access access) noexcept;
std::string_view to_text(Removal removal) noexcept;
std::string_view to_text(Match match) noexcept;
std::string_view to_text(Network network) noexcept;

}  // namespace pale
