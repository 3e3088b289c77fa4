#include "service/terms.h"

#include <algorithm>

#include "base/text.h"
#include "service/workspace.h"

namespace pale::service {
namespace {

using project::NetworkMode;
using project::Said;
using project::Trust;

NetworkMode mode_of(Network network) {
  switch (network) {
    case Network::None: return NetworkMode::None;
    case Network::Allow: return NetworkMode::Allow;
    case Network::Open: break;
  }
  return NetworkMode::Open;
}

std::optional<std::uint64_t> smaller(const std::optional<std::uint64_t>& left,
                                     const std::optional<Said<std::uint64_t>>& right) {
  if (!right) return left;
  return left ? std::min(*left, right->value) : right->value;
}

class Negotiation {
 public:
  Negotiation(const Request& request, const project::Resolved& resolved, const project::UserConfig& config)
      : request_(request), root_(resolved.project.root()), config_(config) {
    if (const auto* grants = config.grants_for(root_); grants != nullptr) grants_ = *grants;
  }

  Result<Terms> agree(project::Settings settings) {
    PALE_TRY(trust, agree_trust(settings));
    PALE_TRY(network, agree_network(settings, trust.value));
    std::vector<HostRule> hosts;
    if (network.value == NetworkMode::Allow) {
      PALE_TRY(agreed, agree_hosts(settings));
      hosts = std::move(agreed);
    }
    for (const project::Zone& zone : settings.zones) PALE_CHECK(check_zone(zone));
    if (settings.scope && settings.scope->value == project::Scope::Strict && settings.folders.empty())
      return fail(ErrorKind::Usage, settings.scope->where + ": mode \"strict\" is about folders,", "and none are named",
                  "--workspace src; or folders = [\"src\"] in the manifest");
    Limits limits = request_.limits;
    if (!limits.memory && settings.memory) limits.memory = settings.memory->value;
    if (!limits.pids && settings.pids) limits.pids = settings.pids->value;
    if (!limits.seconds && settings.seconds) limits.seconds = settings.seconds->value;
    limits.connections = smaller(config_.network.limits.connections, settings.connections);
    limits.requests = smaller(config_.network.limits.requests, settings.requests);
    limits.traffic = smaller(config_.network.limits.traffic, settings.traffic);
    limits.host_traffic = smaller(config_.network.limits.host_traffic, settings.host_traffic);
    return Terms{std::move(trust), std::move(network),  std::move(hosts),  request_.observe, config_.network,
                 limits,           std::move(settings), std::move(grants_)};
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
    if (!config_.allow_hosts.empty()) most = std::max(most, NetworkMode::Allow);
    if (grants_.network) most = grants_.network->value;
    if (!grants_.hosts.empty()) most = std::max(most, NetworkMode::Allow);
    if (settings.network->value <= most) return *settings.network;
    if (settings.network->value == NetworkMode::Allow && !settings.hosts.empty())
      return refuse_hosts(settings.hosts, settings.network->where);
    return refuse(*settings.network, "network", name_of(most));
  }

  // Which hosts. A flag that names some means these. Else what the user has granted, with what the agent needs; and of that, if the
  // manifest has a list, what is on it. A manifest that names others asks for more than it has.
  Result<std::vector<HostRule>> agree_hosts(const project::Settings& settings) const {
    if (!request_.hosts.empty() || request_.observe) return request_.hosts;
    std::vector<HostRule> granted = grants_.hosts;
    granted.insert(granted.end(), request_.agent_hosts.begin(), request_.agent_hosts.end());
    if (settings.hosts.empty()) return granted;
    std::vector<HostRule> most = granted;
    most.insert(most.end(), config_.allow_hosts.begin(), config_.allow_hosts.end());
    std::vector<HostRule> beyond;
    std::ranges::copy_if(settings.hosts, std::back_inserter(beyond),
                         [&](const HostRule& rule) { return !covered(most, rule); });
    const bool open = (grants_.network && grants_.network->value == NetworkMode::Open) ||
                      (config_.allow_network && config_.allow_network->value == NetworkMode::Open);
    if (!beyond.empty() && !open) return refuse_hosts(beyond, beyond.front().origin);
    return settings.hosts;
  }

  std::unexpected<Error> refuse_hosts(const std::vector<HostRule>& hosts, const std::string& where) const {
    std::string words;
    std::string listed_words;
    for (const HostRule& rule : hosts) {
      words += " " + shell_word(to_text(rule));
      listed_words += (listed_words.empty() ? "" : ",") + to_text(rule);
    }
    return fail(Error{ErrorKind::Refused, 0, where + ": the manifest asks for the network, and you have not allowed",
                      listed(hosts), "pale config add hosts" + words + " --project-root " + shell_word(root_.text())}
                    .or_hint("--network " + shell_word("allow:" + listed_words) + ", for this run only"));
  }

  template <typename T>
  std::unexpected<Error> refuse(const Said<T>& asked, const std::string& key, const std::string& most) const {
    const std::string name = name_of(asked.value);
    Error error{ErrorKind::Refused, 0,
                asked.where + ": the manifest asks for " + key + " \"" + name + "\", and you allow", "\"" + most + "\"",
                "pale config set " + key + " " + name + " --project-root " + shell_word(root_.text())};
    error = std::move(error).or_hint("--" + key + " " + name + ", for this run only");
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
