#include "tools/refusal.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "sys/file.h"
#include "tools/checks.h"

namespace pale::tools {
namespace {

constexpr std::string_view kSystem = "system";  // the origin of what every boundary shows
constexpr std::size_t kMostPlaces = 12;

// Without looking: ".." takes back the name before it.
Path as_written(const Boundary& boundary, std::string_view path) {
  const std::string whole =
      path.starts_with('/') ? std::string(path) : boundary.workspace().text() + "/" + std::string(path);
  std::vector<std::string_view> names;
  for (std::string_view rest = whole; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    if (name == ".." && !names.empty()) names.pop_back();
    if (!name.empty() && name != "." && name != "..") names.push_back(name);
  }
  Path result = Path::root();
  for (const std::string_view name : names) result = result / name;
  return result;
}

std::optional<Path> opened(int directory, const std::string& path) {
  const auto fd = sys::open_at(directory, path.c_str(), O_PATH);
  if (!fd) return std::nullopt;
  const auto text = sys::path_of(*fd);
  if (!text) return std::nullopt;
  const auto found = Path::parse(*text);
  if (!found || !found->is_absolute()) return std::nullopt;
  return *found;
}

// Of what is missing, or a link to nothing: where its directory leads.
std::optional<Path> beside(const Workplace& place, const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  if (name.empty() || name == "." || name == "..") return std::nullopt;
  const auto parent = opened(place.root.borrow(), directory);
  if (!parent) return std::nullopt;
  const auto target = sys::read_link(place.root.borrow(), path.c_str());
  if (!target) return *parent / name;
  return as_written(place.boundary, target->starts_with('/') ? *target : parent->text() + "/" + *target);
}

// Of something in directories that are missing: where the last of them leads that is there.
std::optional<Path> below_what_exists(const Workplace& place, const std::string& path) {
  for (std::size_t slash = path.find_last_of('/'); slash != std::string::npos && slash > 0;
       slash = path.find_last_of('/', slash - 1)) {
    const auto above = opened(place.root.borrow(), path.substr(0, slash));
    if (above) return as_written(place.boundary, above->text() + path.substr(slash));
  }
  return std::nullopt;
}

bool can_be_a_rules_doing(int number) {
  constexpr int kNumbers[] = {EROFS, EACCES, EPERM, ENOENT, EBUSY, EXDEV, ENOTDIR, ELOOP};
  return std::ranges::find(kNumbers, number) != std::end(kNumbers);
}

// What Pale made for the sandbox in place of something of the host's, such as a small /etc.
const Grant* stand_in_at(const Boundary& boundary, const Path& path) {
  const Grant* grant = boundary.grant_for(path);
  return grant != nullptr && grant->origin == kSystem && grant->source != grant->path ? grant : nullptr;
}

bool only_looks(Operation operation) { return operation == Operation::Read || operation == Operation::Execute; }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at > 0) text += at + 1 == words.size() ? " and " : ", ";
    text += words[at];
  }
  return text;
}

// If it lies in a zone: what that is to whoever calls, in the words and with the code that zones have.
struct ZoneRefusal {
  std::string_view code;
  std::string sentence;
};

// Not of what is refused for itself in a zone that is open.
ZoneRefusal zone_refusal(const Workplace& place, const Path& path, Operation operation) {
  const ApprovalRule* zone = place.approvals.zone_of(path);
  if (zone == nullptr) return {};
  if (!explain(place.boundary, zone->path, Operation::Read).allowed())
    return {kZoneAccessDenied, "Zone '" + zone->zone + "' not available to this worker. "};
  if (only_looks(operation) || explain(place.boundary, zone->path, Operation::Write).allowed()) return {};
  return {kReadOnlyZone, "Zone '" + zone->zone + "' is read-only for this worker. "};
}

std::string rule_sentence(const Verdict& verdict) {
  return "The rule: " + verdict.rule + (verdict.origin.empty() ? "." : " (from " + verdict.origin + ").");
}

// What the kernel says to it.
int number_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Allowed: return 0;
    case Outcome::NotFound: return ENOENT;
    case Outcome::Denied:
    case Outcome::Listed: return EACCES;
    case Outcome::ReadOnly: return EROFS;
  }
  return 0;
}

// `begun`: the path, what the kernel says, where it leads.
Error refused(const Workplace& place, Operation operation, const Path& path, std::string begun, const Verdict& verdict,
              std::string_view more = {}) {
  const ZoneRefusal zone = zone_refusal(place, path, operation);
  std::string sentence = std::move(begun) + zone.sentence + rule_sentence(verdict) + std::string(more);
  // The same that a person reads on stderr.
  const std::string block = block_for(place.boundary, {std::string(to_text(operation)), path.text()});
  if (!block.empty()) sentence += "\n" + block;
  return with_code(zone.code, {ErrorKind::Refused, 0, std::move(sentence), "", allowed_places(place, operation)});
}

}  // namespace

Path where_it_leads(const Workplace& place, const std::string& path) {
  if (auto found = opened(place.root.borrow(), path)) return *found;
  if (auto found = beside(place, path)) return *found;
  if (auto found = below_what_exists(place, path)) return *found;
  return as_written(place.boundary, path);
}

Path where_it_stands(const Workplace& place, const std::string& path) {
  const std::string plain = path.substr(0, path.find_last_not_of('/') + 1);
  const std::size_t slash = plain.find_last_of('/');
  const std::string name = plain.substr(slash == std::string::npos ? 0 : slash + 1);
  if (name.empty() || name == "." || name == "..") return where_it_leads(place, path);
  return where_it_leads(place, slash == std::string::npos ? "." : plain.substr(0, slash + 1)) / name;
}

std::string allowed_places(const Workplace& place, Operation operation) {
  const Access wanted = only_looks(operation) ? Access::Read : Access::Write;
  std::vector<std::string> places;
  bool system = false;
  for (const Grant& grant : place.boundary.grants()) {
    const bool enough = grant.access >= wanted && places.size() < kMostPlaces;
    system |= enough && grant.origin == kSystem;
    if (enough && grant.origin != kSystem) places.push_back(grant.path.text());
  }
  if (place.variable("TMPDIR") == "/tmp") places.emplace_back("/tmp");
  if (system) places.emplace_back("the system (/usr)");
  if (places.empty()) return "Nothing here may be changed.";
  const bool protects = wanted == Access::Write && !place.boundary.protections().empty();
  return (only_looks(operation) ? "Reading is allowed below " : "Changes are allowed below ") + joined(places) +
         (protects ? ", but for what is protected." : ".");
}

Error refusal(const Workplace& place, Operation operation, const std::string& path, const Error& error) {
  Error plain{ErrorKind::System, error.number, path, "", error.hint};
  if (!kChecked || !can_be_a_rules_doing(error.number)) return plain;
  const Path leads_to = where_it_leads(place, path);
  const bool same = leads_to == as_written(place.boundary, path);
  const Verdict verdict = explain(place.boundary, leads_to, operation);
  const Grant* stand_in = error.number == ENOENT ? stand_in_at(place.boundary, leads_to) : nullptr;
  if (verdict.allowed() && stand_in == nullptr) {
    if (!same) plain.operation += ", which leads to " + leads_to.text();
    return plain;
  }
  std::string sentence = path + ": " + errno_text(error.number) + ". ";
  sentence += same ? "" : "It leads to " + leads_to.text() + ". ";
  const std::string more =
      stand_in == nullptr ? "" : " Of the host's " + stand_in->path.text() + " it has what programs need, and no more.";
  return refused(place, operation, leads_to, std::move(sentence), verdict, more);
}

Status check_boundary(const Workplace& place, Operation operation, const Path& path) {
  const Verdict verdict = explain(place.boundary, path, operation);
  if (!kChecked || verdict.allowed()) return {};
  return fail(
      refused(place, operation, path, path.text() + ": " + errno_text(number_of(verdict.outcome)) + ". ", verdict));
}

}  // namespace pale::tools
