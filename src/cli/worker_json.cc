#include "cli/worker_view.h"

namespace pale::cli {
namespace {

using worker::Node;

void write_texts(JsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  out.key(key).begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

void write_begin(JsonWriter& out, const service::ProjectWorkers& all) {
  out.begin_object().field("schemaVersion", 1).field("project", all.resolved.project.id());
  out.field("root", all.resolved.project.root().text());
}

void write_approval(JsonWriter& out, const project::ZoneApproval& approval) {
  out.key("approval").begin_object();
  if (approval.write) out.field("write", to_text(*approval.write));
  if (approval.remove) out.field("delete", to_text(*approval.remove));
  out.end_object();
}

void write_zones(JsonWriter& out, const service::ProjectWorkers& all) {
  out.key("zones").begin_array();
  for (std::size_t at = 0; at < all.places.size(); ++at) {
    const worker::Zone& zone = all.zones.zones[at];
    out.begin_object().field("name", zone.name).field("mode", worker::mode_text(zone.access));
    out.field("folder", zone.folder.text()).field("exists", all.places[at] == service::ZonePlace::Folder);
    out.field("where", zone.where);
    if (!zone.narrowed_by.empty()) out.field("narrowed_by", zone.narrowed_by);
    write_approval(out, zone.approval);
    out.end_object();
  }
  out.end_array();
}

void write_share(JsonWriter& out, const worker::Share& share) {
  out.key("zones").begin_array();
  for (const worker::Held& held : share.gets) {
    out.begin_object().field("name", held.name).field("mode", worker::mode_text(held.access));
    out.field("folder", held.folder.text());
    write_approval(out, held.approval);
    if (held.suffixes) write_texts(out, "suffixes", *held.suffixes);
    if (!held.narrowed_by.empty()) out.field("narrowed_by", held.narrowed_by);
    out.end_object();
  }
  out.end_array().key("lost").begin_array();
  for (const worker::Refusal& refusal : share.lost) {
    out.begin_object().field("code", to_text(refusal.code)).field("about", refusal.about);
    out.field("message", refusal.sentence).field("hint", refusal.hint).end_object();
  }
  out.end_array();
}

std::string_view to_text(worker::Ending ending) {
  switch (ending) {
    case worker::Ending::None: return "none";
    case worker::Ending::Depth: return "depth";
    case worker::Ending::Cycle: return "cycle";
    case worker::Ending::Again: break;
  }
  return "again";
}

void write_node(JsonWriter& out, const worker::Tree& tree, std::size_t place) {
  const Node& node = tree[place];
  out.begin_object().field("worker", node.name).field("depth", node.depth).field("refused", worker::is_refused(node));
  write_share(out, node.share);
  out.field("ending", to_text(node.ending)).key("calls").begin_array();
  for (const std::size_t child : worker::called_by(tree, place)) write_node(out, tree, child);
  out.end_array().end_object();
}

void write_worker(JsonWriter& out, const service::ProjectWorkers& all, const worker::Worker& worker) {
  out.field("name", worker.file.name).field("file", worker.path).field("description", worker.file.description);
  out.field("entry", worker.file.name == all.found.entry).field("locked", worker.file.locked);
  out.field("pure", !worker.file.sandbox.has_value());
  write_texts(out, "run", worker.file.run);
  write_texts(out, "allowed_workers", worker.file.allowed_workers);
}

void write_problems(JsonWriter& out, const std::vector<Error>& problems) {
  out.key("problems").begin_array();
  for (const Error& problem : problems)
    out.begin_object().field("message", problem.sentence()).field("hint", problem.hint).end_object();
  out.end_array();
}

}  // namespace

std::string worker_list_json(const service::ProjectWorkers& all) {
  JsonWriter out;
  write_begin(out, all);
  out.key("workers").begin_array();
  for (const worker::Worker& worker : all.found.workers) {
    out.begin_object();
    write_worker(out, all, worker);
    out.end_object();
  }
  out.end_array();
  write_problems(out, all.found.problems);
  return out.end_object().text() + "\n";
}

std::string worker_show_json(const service::ProjectWorkers& all, const Node& node) {
  JsonWriter out;
  write_begin(out, all);
  write_worker(out, all, *node.worker);
  write_share(out, node.share);
  out.key("unused").begin_array();
  for (const worker::OtherKey& key : node.worker->file.other)
    out.begin_object().field("key", key.key).field("line", key.line).end_object();
  out.end_array().field("instructions", node.worker->file.instructions);
  return out.end_object().text() + "\n";
}

std::string worker_check_json(const service::ProjectWorkers& all, const worker::Tree& tree,
                              const std::vector<Error>& problems) {
  JsonWriter out;
  write_begin(out, all);
  out.field("declared_in", all.zones.file).field("mode", to_text(all.zones.mode));
  out.field("approval", to_text(all.zones.approval)).field("max_depth", all.zones.max_depth);
  write_zones(out, all);
  out.key("tree").begin_array();
  for (const std::size_t place : worker::called_by(tree, Node::kNobody)) write_node(out, tree, place);
  out.end_array();
  write_problems(out, problems);
  return out.field("refused", refused_in(tree)).end_object().text() + "\n";
}

}  // namespace pale::cli
