#include "service/workers.h"
#include "studio/works.h"
#include "worker/tree.h"

namespace pale::studio {
namespace {

using worker::Node;

// What its file asks for; empty if that is no zone of it.
std::string wanted_mode(const Node& node, const std::string& zone) {
  if (node.worker == nullptr || !node.worker->file.sandbox) return {};
  for (const worker::ZoneRequest& request : node.worker->file.sandbox->zones) {
    if (request.name == zone) return std::string(worker::mode_text(request.access));
  }
  for (const worker::PathRequest& request : node.worker->file.sandbox->paths) {
    if (request.name == zone) return std::string(worker::mode_text(request.access));
  }
  return {};
}

// What it got, and struck out, what it asked for and did not get.
Json zones_of(const Node& node) {
  const worker::Share& share = node.share;
  Json zones = Json::array();
  for (const worker::Held& held : share.gets) {
    Json zone = {{"name", sane(held.name)}, {"mode", std::string(worker::mode_text(held.access))}, {"lost", false}};
    if (!held.narrowed_by.empty()) zone["reason"] = sane(held.narrowed_by);
    zones.push_back(std::move(zone));
  }
  for (const worker::Refusal& refusal : share.lost)
    zones.push_back({{"name", sane(refusal.about)},
                     {"mode", ""},
                     {"wanted", wanted_mode(node, refusal.about)},
                     {"lost", true},
                     {"reason", sane(refusal.sentence)}});
  return zones;
}

std::string sentence_of(worker::Ending ending) {
  switch (ending) {
    case worker::Ending::None: return {};
    case worker::Ending::Depth: return "delegation ends here";
    case worker::Ending::Cycle: return "it stands above, with the same folders";
    case worker::Ending::Again: break;
  }
  return "it is drawn elsewhere";
}

Json node_json(const worker::Tree& tree, std::size_t place) {
  const Node& node = tree[place];
  Json problems = Json::array();
  if (node.worker == nullptr) problems.push_back("there is no worker of that name");
  if (const std::string ending = sentence_of(node.ending); !ending.empty()) problems.push_back(ending);
  std::string refused;
  if (worker::is_refused(node))
    refused = node.share.lost.empty() ? "it may not be called here" : node.share.lost.front().sentence;
  Json json = {{"name", sane(node.name)},
               {"description", node.worker != nullptr ? sane(node.worker->file.description) : ""},
               {"zones", zones_of(node)},
               {"allowed_workers", Json::array()},
               {"problems", std::move(problems)},
               {"refused", sane(refused)},
               {"children", Json::array()}};
  if (node.worker != nullptr) {
    for (const std::string& name : node.worker->file.allowed_workers) json["allowed_workers"].push_back(sane(name));
  }
  for (const std::size_t child : worker::called_by(tree, place)) json["children"].push_back(node_json(tree, child));
  return json;
}

}  // namespace

Answer list_workers(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(all, service::load_workers(project::Named{.root = {}, .id = asked.project}, {}, caller));
  const worker::Tree tree = worker::grow_tree(all.zones, all.found.workers, all.found.entry, worker::Rest::Follow);
  Json workers = Json::array();
  for (const std::size_t place : worker::called_by(tree, Node::kNobody)) workers.push_back(node_json(tree, place));
  Json problems = Json::array();
  for (const Error& problem : service::problems_of(all, caller)) problems.push_back(sane(problem.sentence()));
  return Json{{"workers", std::move(workers)}, {"problems", std::move(problems)}, {"max_depth", all.zones.max_depth}};
}

}  // namespace pale::studio
