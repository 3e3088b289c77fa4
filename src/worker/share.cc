#include "worker/share.h"

#include <algorithm>

namespace pale::worker {
namespace {

constexpr std::string_view kCodes[] = {
    "ZONE_ACCESS_DENIED", "PERMISSION_ESCALATION", "NOT_FOUND", "NOT_ALLOWED",   "LOCKED",          "DEPTH_EXCEEDED",
    "TOO_MANY_CALLS",     "APPROVAL_DENIED",       "TIMED_OUT", "WORKER_FAILED", "ANSWER_TOO_LONG", "INVALID_REQUEST"};

// The stricter of the two, if the caller says something. What nobody has said is asked about.
std::optional<Approval> stricter(const std::optional<Approval>& callers, const std::optional<Approval>& own) {
  if (!callers) return own.value_or(Approval::Ask);
  return own ? std::max(*callers, *own) : *callers;
}

std::optional<std::vector<std::string>> both(const std::optional<std::vector<std::string>>& callers,
                                             const std::optional<std::vector<std::string>>& own) {
  if (!callers) return own;
  if (!own) return callers;
  // ".test.json" is among the files that end in ".json".
  std::vector<std::string> kept;
  for (const std::string& suffix : *own) {
    const auto covers = [&](const std::string& wider) { return suffix.ends_with(wider); };
    if (std::ranges::any_of(*callers, covers)) kept.push_back(suffix);
  }
  for (const std::string& suffix : *callers) {
    const auto covers = [&](const std::string& wider) { return suffix.ends_with(wider) && suffix != wider; };
    if (std::ranges::any_of(*own, covers)) kept.push_back(suffix);
  }
  return kept;
}

class Sharing {
 public:
  Sharing(const Holding& caller, const Zones& zones) : caller_(caller), zones_(zones) {}

  Share make(const Sandbox& asked) {
    for (const ZoneRequest& zone : asked.zones) take_zone(zone);
    for (const PathRequest& path : asked.paths) take_path(path);
    if (!share_.lost.empty()) share_.gets.clear();
    return std::move(share_);
  }

 private:
  std::string asker() const { return caller_.holder == Holder::Project ? "Worker" : "Child"; }
  std::string giver() const { return caller_.holder == Holder::Project ? "project" : "parent"; }

  void refuse(Code code, const std::string& name, const std::string& request, const std::string& why,
              std::string hint) {
    share_.lost.push_back(
        {code, name, asker() + " requests " + request + " but " + giver() + " " + why, std::move(hint)});
  }

  void take_zone(const ZoneRequest& zone) {
    const auto found = std::ranges::find(caller_.folders, zone.name, &Held::name);
    if (found == caller_.folders.end())
      return refuse(Code::ZoneAccessDenied, zone.name, "zone '" + zone.name + "'", "doesn't have it",
                    caller_.holder == Holder::Project ? "declare it in the project, or leave it out of the worker"
                                                      : "let the worker that calls it ask for it, too");
    take(*found, {zone.name, found->folder, zone.access, zone.approval, std::nullopt});
  }

  void take_path(const PathRequest& path) {
    const Path folder = path.root ? zones_.base / path.root->text() : zones_.base;
    if (is_reserved(path.name))
      return refuse(Code::ZoneAccessDenied, path.name, "'" + path.name + "'",
                    "cannot show it at /" + path.name + ", which belongs to the system", "call it my-" + path.name);
    const Held* around = innermost_around(folder);
    if (around == nullptr)
      return refuse(Code::ZoneAccessDenied, path.name, "'" + folder.text() + "' as '" + path.name + "'",
                    "has no zone around it", "sandbox: {zones: [{name: …}]} names a zone of the project");
    Held from = *around;
    if (protection_of(zones_, folder) != nullptr) from.access = std::min(from.access, Access::Read);
    take(from, {path.name, folder, path.access, {}, path.suffixes});
  }

  // The one that says what may be done there: of the same folder twice, the tighter.
  const Held* innermost_around(const Path& folder) const {
    const Held* innermost = nullptr;
    for (const Held& held : caller_.folders) {
      if (!held.folder.covers(folder)) continue;
      const bool closer = innermost == nullptr || innermost->folder.depth() < held.folder.depth() ||
                          (innermost->folder == held.folder && held.access < innermost->access);
      if (closer) innermost = &held;
    }
    return innermost;
  }

  void take(const Held& from, Held wanted) {
    if (from.access < wanted.access) {
      const std::string asked(mode_text(wanted.access));
      const std::string has(mode_text(from.access));
      return refuse(Code::PermissionEscalation, wanted.name, "'" + asked + "' on '" + wanted.name + "'",
                    "only has '" + has + "'", "mode: " + has + " in the worker, if that is enough for it");
    }
    wanted.approval = {stricter(from.approval.write, wanted.approval.write),
                       stricter(from.approval.remove, wanted.approval.remove)};
    if (wanted.approval.write == Approval::Blocked && wanted.access == Access::Write) {
      wanted.access = Access::Read;
      wanted.narrowed_by = "asked rw: write is blocked";
    }
    wanted.suffixes = both(from.suffixes, wanted.suffixes);
    share_.gets.push_back(std::move(wanted));
  }

  const Holding& caller_;
  const Zones& zones_;
  Share share_;
};

}  // namespace

std::string_view to_text(Code code) noexcept { return kCodes[static_cast<std::size_t>(code)]; }

Code code_of(std::string_view text) noexcept {
  const auto* found = std::ranges::find(kCodes, text);
  return found == std::end(kCodes) ? Code::InvalidRequest : static_cast<Code>(found - std::begin(kCodes));
}

Holding offered_by(const Zones& zones) {
  Holding holding{Holder::Project, {}};
  for (const Zone& zone : zones.zones)
    holding.folders.push_back({zone.name, zone.folder, zone.access, zone.approval, std::nullopt});
  // A zone has a name, so nobody can ask for this one but by a folder of his own.
  if (zones.zones.empty()) holding.folders.push_back({"", zones.base, zones.without_zones, {}, std::nullopt});
  return holding;
}

Share share_of(const Holding& caller, const WorkerFile& worker, const Zones& zones) {
  return worker.sandbox ? Sharing(caller, zones).make(*worker.sandbox) : Share{};
}

}  // namespace pale::worker
