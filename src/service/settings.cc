#include "service/settings.h"

#include "base/text.h"
#include "service/loop_stories.h"
#include "service/stages.h"
#include "service/workspace.h"

namespace pale::service {
namespace {

using project::ConfigChange;
using project::ConfigKey;
using project::Said;

Result<const ConfigKey*> key_of(const std::string& name) {
  if (const ConfigKey* key = project::find_config_key(name); key != nullptr) return key;
  std::vector<std::string_view> names;
  for (const ConfigKey& key : project::kConfigKeys) names.push_back(key.name);
  const auto close = nearest(name, names);
  return fail(ErrorKind::Usage, "there is no setting", "'" + name + "'",
              close ? "did you mean " + std::string(*close) + "?" : "pale help configuration");
}

bool names_one(const project::Named& named) { return !named.root.empty() || !named.id.empty(); }

class Listing {
 public:
  void add(std::string key, std::string value, std::string origin) {
    lines.push_back({project_, std::move(key), std::move(value), std::move(origin)});
  }
  template <typename T>
  void add_choice(const std::string& key, const std::optional<Said<T>>& said, const std::string& otherwise) {
    said ? add(key, name_of(said->value), said->where) : add(key, otherwise, "default");
  }
  void add_hosts(const std::string& key, const std::vector<HostRule>& rules) {
    for (const HostRule& rule : rules) add(key, to_text(rule), rule.origin);
  }
  void add_user(const project::UserConfig& config, const Caller& caller) {
    const std::string by_environment = caller.variable("PALE_AGENT");
    if (!by_environment.empty()) {
      add("agent", by_environment, "PALE_AGENT");
    } else if (config.agent) {
      add("agent", config.agent->value, config.agent->where);
    } else {
      add("agent", "", "default");
    }
    config.history ? add("history", config.history->value, config.history->where)
                   : add("history", std::string(kUsualHistory), "default");
    add_choice("allow.trust", config.allow_trust, name_of(project::kMostUnasked));
    add_choice("allow.network", config.allow_network, "none");
    add_hosts("allow.hosts", config.allow_hosts);
    for (const auto& [host, endpoint] : config.network.places)
      add("network.hosts." + host, network::to_text(endpoint), "config.toml");
    if (!config.network.ca_file.empty()) add("network.ca_file", config.network.ca_file, "config.toml");
    if (config.network.resolver) add("network.resolver", network::to_text(*config.network.resolver), "config.toml");
    // What the key is, is not said.
    for (const project::NamedKey& named : config.network.keys)
      add("network.credentials." + named.key.credential.name, named.key.credential.host, named.where);
  }
  void add_grants(const std::string& root, const project::ProjectGrants& grants) {
    project_ = root;
    if (grants.trust) add("trust", name_of(grants.trust->value), grants.trust->where);
    if (grants.network) add("network", name_of(grants.network->value), grants.network->where);
    add_hosts("hosts", grants.hosts);
    add_list("rw", grants.rw);
    add_list("ro", grants.ro);
    add_list("env", grants.env);
  }
  // What counts in one project, whoever said it.
  void add_terms(const std::string& root, const Terms& terms) {
    project_ = root;
    if (terms.settings.agent) add("agent", terms.settings.agent->value, terms.settings.agent->where);
    if (!terms.settings.command.empty())
      add("agent", terms.settings.command.front().value, terms.settings.command.front().where);
    add("trust", name_of(terms.trust.value), terms.trust.where);
    add("network", name_of(terms.network.value), terms.network.where);
    add_hosts("hosts", terms.hosts);
    add_workspace(Path::literal(root), terms.settings);
    add_list("rw", terms.grants.rw);
    add_list("ro", terms.grants.ro);
    add_list("env", terms.grants.env);
  }

  std::vector<ConfigLine> lines;

 private:
  void add_workspace(const Path& root, const project::Settings& settings) {
    if (settings.folders.empty()) return;
    std::string listed;
    for (const auto& folder : settings.folders)
      listed += (listed.empty() ? "" : ",") + std::string(root.below(folder.value));
    add("workspace", listed, settings.folders.front().where);
    settings.scope ? add("mode", name_of(settings.scope->value), settings.scope->where)
                   : add("mode", "permissive", "default");
  }
  void add_list(const std::string& key, const std::vector<Said<std::string>>& items) {
    for (const auto& item : items) add(key, item.value, item.where);
  }
  std::string project_;
};

}  // namespace

namespace {

// The one that is named, or that somebody stands in; nothing: what is asked for is about all of them.
Result<std::optional<project::Resolved>> project_of(const Wished& wished, const project::Surroundings& around) {
  const bool about_one = names_one(wished.project) || wished.workspace.folders || wished.workspace.mode ||
                         !wished.preset.empty() || !wished.prd.empty();
  if (about_one) {
    PALE_TRY(resolved, project::resolve(wished.project, around));
    return resolved;
  }
  auto here = project::resolve({}, around);
  if (here && here->reason == project::Reason::Here) return std::move(*here);
  return std::nullopt;
}

Result<Terms> terms_for(const Wished& wished, const project::Resolved& resolved, const project::UserConfig& config,
                        const Caller& caller) {
  Request request;
  request.preset = wished.preset;
  PALE_TRY(workspace, with_variables(wished.workspace, caller));
  request.workspace = std::move(workspace);
  if (!wished.prd.empty()) {
    PALE_TRY(stories, LoopStories::read(wished.prd, resolved.project.root()));
    if (stories.prd().workspace)
      request.workspace.of_stories = {*stories.prd().workspace, std::string(stories.file().name())};
  }
  return agree_terms(request, resolved, config);
}

}  // namespace

Result<std::vector<ConfigLine>> list_config(const Wished& wished, const Caller& caller) {
  PALE_TRY(around, surroundings_of(caller));
  PALE_TRY(config, project::read_config(around.pale_home));
  Listing listing;
  listing.add_user(config, caller);
  PALE_TRY(one, project_of(wished, around));
  if (one) {
    PALE_TRY(terms, terms_for(wished, *one, config, caller));
    listing.add_terms(one->project.root().text(), terms);
  } else {
    for (const auto& [root, grants] : config.projects) listing.add_grants(root, grants);
  }
  return std::move(listing.lines);
}

Result<std::vector<std::string>> get_config(const std::string& name, const project::Named& named,
                                            const Caller& caller) {
  PALE_TRY(key, key_of(name));
  PALE_TRY(around, surroundings_of(caller));
  PALE_TRY(config, project::read_config(around.pale_home));
  Listing listing;
  std::string root;
  if (names_one(named)) {
    PALE_TRY(resolved, project::resolve(named, around));
    root = resolved.project.root().text();
    if (const auto* grants = config.grants_for(resolved.project.root()); grants != nullptr)
      listing.add_grants(root, *grants);
  } else {
    if (config.agent) listing.add("agent", config.agent->value, "");
    if (config.history) listing.add("history", config.history->value, "");
    if (config.allow_trust) listing.add("trust", name_of(config.allow_trust->value), "");
    if (config.allow_network) listing.add("network", name_of(config.allow_network->value), "");
    listing.add_hosts("hosts", config.allow_hosts);
  }
  std::vector<std::string> values;
  for (const ConfigLine& line : listing.lines) {
    if (line.key == key->name) values.push_back(line.value);
  }
  return values;
}

Status set_config(ConfigChange change, const std::string& name, const std::vector<std::string>& values,
                  const project::Named& named, const Caller& caller) {
  PALE_TRY(key, key_of(name));
  PALE_TRY(around, surroundings_of(caller));
  const bool is_list = key->is_list;
  if (change == ConfigChange::Add && !is_list)
    return fail(ErrorKind::Usage, "only to a list can something be added; this is none:", name,
                "pale config set " + name + " VALUE");
  if (change == ConfigChange::Set && !is_list && values.size() != 1)
    return fail(ErrorKind::Usage, "one value is meant for", name, "pale config set " + name + " VALUE");
  if (!names_one(named)) {
    if (key->path.empty())
      return fail(ErrorKind::Usage, "this is granted to one project at a time:", name, "-p ID or --project-root DIR");
    return project::change_config(around.pale_home, change, *key, values, nullptr);
  }
  if (name == "history")
    return fail(ErrorKind::Usage, "this counts for all projects:", name, "pale config set history 30d");
  if (name == "agent")
    return fail(ErrorKind::Usage, "the agent of one project stands in its manifest:", ".pale/project.toml",
                "[agent] name = \"" + (values.empty() ? "claude" : values.front()) + "\"");
  PALE_TRY(resolved, project::resolve(named, around));
  return project::change_config(around.pale_home, change, *key, values, &resolved.project.root());
}

}  // namespace pale::service
