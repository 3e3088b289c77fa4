#include "service/terms.h"

#include <algorithm>

#include "base/text.h"
#include "service/workspace.h"

namespace pale::service {
namespace {

using project::NetworkMode;
using project::Said;
using project::Trust;

NetworkMode mode_of(Network network) { return network == Network::Open ? NetworkMode::Open : NetworkMode::None; }

class Negotiation {
 public:
  Negotiation(const Request& request, const project::Resolved& resolved, const project::UserConfig& config)
      : request_(request), root_(resolved.project.root()), config_(config) {
    if (const auto* grants = config.grants_for(root_); grants != nullptr) grants_ = *grants;
  }

  Result<Terms> agree(project::Settings settings) {
    PALE_TRY(trust, agree_trust(settings));
    PALE_TRY(network, agree_network(settings, trust.value));
    for (const project::Zone& zone : settings.zones) PALE_CHECK(check_zone(zone));
    if (settings.scope && settings.scope->value == project::Scope::Strict && settings.folders.empty())
      return fail(ErrorKind::Usage, settings.scope->where + ": mode \"strict\" is about folders,", "and none are named",
                  "--workspace src; or folders = [\"src\"] in the manifest");
    Limits limits = request_.limits;
    if (!limits.memory && settings.memory) limits.memory = settings.memory->value;
    if (!limits.pids && settings.pids) limits.pids = settings.pids->value;
    if (!limits.seconds && settings.seconds) limits.seconds = settings.seconds->value;
    return Terms{std::move(trust), std::move(network), limits, std::move(settings), std::move(grants_)};
  }

 private:
  // A flag, else the manifest, else what the user has set for this project, else the usual.
  Result<Said<Trust>> agree_trust(const project::Settings& settings) const {
    if (request_.trust) return Said<Trust>{*request_.trust, "--trust"};
    if (!settings.trust) return grants_.trust ? *grants_.trust : Said<Trust>{project::kUsualTrust, "default"};
    Trust most = config_.allow_trust ? config_.allow_trust->value : project::kMostUnasked;
    if (grants_.trust) most = grants_.trust->value;
    if (settings.trust->value <= most) return *settings.trust;
    return refuse(*settings.trust, "trust", name_of(most));
  }

  Result<Said<NetworkMode>> agree_network(const project::Settings& settings, Trust trust) const {
    if (request_.network) return Said<NetworkMode>{mode_of(*request_.network), "--network"};
    const NetworkMode of_trust = mode_of(project::level_of(trust).network);
    if (!settings.network) {
      if (grants_.network) return *grants_.network;
      return Said<NetworkMode>{of_trust, of_trust == NetworkMode::Open ? "trust " + name_of(trust) : "default"};
    }
    NetworkMode most = std::max(of_trust, config_.allow_network ? config_.allow_network->value : NetworkMode::None);
    if (grants_.network) most = grants_.network->value;
    if (settings.network->value <= most) return *settings.network;
    return refuse(*settings.network, "network", name_of(most));
  }

  template <typename T>
  std::unexpected<Error> refuse(const Said<T>& asked, const std::string& key, const std::string& most) const {
    const std::string name = name_of(asked.value);
    Error error{ErrorKind::Refused, 0,
                asked.where + ": the manifest asks for " + key + " \"" + name + "\", and you allow", "\"" + most + "\"",
                "pale config set " + key + " " + name + " --project-root " + shell_word(root_.text())};
    // An allow-list has no flag: it stands in the manifest.
    if (name != "allow") error = std::move(error).or_hint("--" + key + " " + name + ", for this run only");
    return fail(std::move(error));
  }

  // Inside the project a zone only narrows. Elsewhere the user must have granted the place.
  Status check_zone(const project::Zone& zone) const {
    if (root_.covers(zone.path)) return {};
    const auto is_granted = [&](const std::string& place) {
      const auto path = Path::parse(place);
      return path && path->covers(zone.path);
    };
    const auto by_config = [&](const std::vector<Said<std::string>>& places) {
      return std::ranges::any_of(places, [&](const auto& place) { return is_granted(place.value); });
    };
    const auto by_flag = [&](PathRule rule) {
      return std::ranges::any_of(
          request_.paths, [&](const PathRequest& wanted) { return wanted.rule == rule && is_granted(wanted.path); });
    };
    const bool writable = by_config(grants_.rw) || by_flag(PathRule::ReadWrite);
    const bool readable = writable || by_config(grants_.ro) || by_flag(PathRule::ReadOnly);
    if (zone.access == Access::Write ? writable : readable) return {};
    const std::string verb = zone.access == Access::Write ? "rw" : "ro";
    return fail(Error{
        ErrorKind::Refused, 0,
        zone.where + ": the zone '" + zone.name + "' lies outside the project:", zone.path.text(),
        "pale config add " + verb + " " + shell_word(zone.path.text()) + " --project-root " + shell_word(root_.text())}
                    .or_hint("--" + verb + " " + shell_word(zone.path.text()) + ", for this run only"));
  }

  const Request& request_;
  const Path& root_;
  const project::UserConfig& config_;
  project::ProjectGrants grants_;
};

// The manifest, narrowed by its preset; but a prd.json that names folders comes before a preset that does, and so does the user's
// own word.
Result<project::Settings> settings_of(const Request& request, const project::Resolved& resolved) {
  if (!resolved.manifest) return project::Settings{};
  const WorkspaceRequest& workspace = request.workspace;
  const bool stories_say = workspace.of_stories && !workspace.of_stories->value.folders.empty() && !workspace.off;
  if (request.preset.empty() || (!stories_say && !workspace.folders))
    return project::choose_preset(*resolved.manifest, request.preset);
  project::Manifest manifest = *resolved.manifest;
  for (project::Preset& preset : manifest.presets) preset.settings.folders.clear();
  return project::choose_preset(manifest, request.preset);
}

}  // namespace

Result<Terms> agree_terms(const Request& request, const project::Resolved& resolved,
                          const project::UserConfig& config) {
  if (!resolved.manifest && !request.preset.empty())
    return fail(ErrorKind::Usage,
                "--preset chooses from a manifest, and this project has none:", resolved.project.root().text(),
                "pale init " + resolved.project.root().text());
  PALE_TRY(settings, settings_of(request, resolved));
  PALE_TRY(scoped, choose_workspace(std::move(settings), request.workspace, resolved.project.root()));
  return Negotiation(request, resolved, config).agree(std::move(scoped));
}

}  // namespace pale::service
