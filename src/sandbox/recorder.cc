#include "sandbox/recorder.h"

#include <algorithm>

#include "base/hash.h"
#include "boundary/new_name.h"

namespace pale::sandbox {
namespace {

// Links into /usr, which no grant names.
constexpr std::string_view kSystemLinks[] = {"/bin", "/lib", "/lib64", "/sbin"};

std::uint64_t number_of(const Sighting& sighting) {
  return Hash().add(static_cast<std::uint64_t>(sighting.act)).add(sighting.path).value();
}

}  // namespace

Recorder::Recorder(const Boundary& boundary, const WatchedScope& scope, SightingLog& log, Onlooker& onlooker)
    : boundary_(boundary), scope_(scope), log_(log), onlooker_(onlooker) {
  const auto add = [&](const Path& path) {
    if (!path.covers(boundary.workspace()) && !boundary.workspace().covers(path))
      elsewhere_.push_back(path.text() + "/");
  };
  for (const Grant& grant : boundary.grants()) {
    if (grant.access == Access::Read) add(grant.path);
  }
  for (const std::string_view link : kSystemLinks) add(Path::literal(link));
}

// Asked for every file that is opened: most are the system's.
bool Recorder::cares_for(std::string_view written) const {
  ++looked_at_;
  if (!written.starts_with('/') || written.find("/..") != std::string_view::npos) return true;
  return std::ranges::none_of(elsewhere_, [&](const std::string& place) { return written.starts_with(place); });
}

void Recorder::saw(const Path& path, Act act, Found found, bool refused) {
  if (!refused && !cares_for(path)) return;
  // A tool that writes a file whole makes another one first: what is told is the file.
  const std::string_view meant = name_that_is_meant(path.name());
  const auto named = meant == path.name() ? std::nullopt : std::optional(path.parent() / meant);
  const auto sighting = judge(boundary_, scope_, {named ? *named : path, act, found});
  if (!sighting) return;
  if (sighting->kind == Sighting::Kind::Blocked) onlooker_.tried(*sighting);
  tell(*sighting);
}

void Recorder::connects(const std::string& address) { tell({Sighting::Kind::Reached, Act::Connect, address}); }

void Recorder::tell(const Sighting& sighting) {
  if (log_.is_full() || !seen_.add(number_of(sighting))) return;
  (void)log_.add(sighting, onlooker_.tell_now(scope_, boundary_, sighting));
}

}  // namespace pale::sandbox
