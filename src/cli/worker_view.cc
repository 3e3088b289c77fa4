#include "cli/worker_view.h"

#include <algorithm>

#include "base/text.h"

namespace pale::cli {
namespace {

using worker::Node;

constexpr std::string_view kAboutSuffixes =
    "  (suffixes are what only the file tools keep to: pale mcp --worker NAME; a command has the whole folder)\n";

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string coloured(std::string_view colour, const std::string& text, const Palette& colours) {
  return std::string(colour) + text + std::string(colours.plain);
}

// What nobody is asked about; what is usual is not said.
std::string approval_text(const worker::Held& held) {
  std::string text;
  const auto add = [&](std::string_view what, const std::optional<project::Approval>& approval) {
    if (approval.value_or(project::Approval::Ask) != project::Approval::Ask)
      text += ", " + std::string(what) + " " + std::string(to_text(*approval));
  };
  if (held.access != Access::Write) return text;
  add("write", held.approval.write);
  add("delete", held.approval.remove);
  return text;
}

// "data ro", "work ro (asked rw: write is blocked)", "plans rw, delete blocked", "cache rw, only .json".
std::string held_text(const worker::Held& held) {
  std::string text = held.name + " " + std::string(worker::mode_text(held.access)) + approval_text(held);
  if (!held.narrowed_by.empty()) text += " (" + held.narrowed_by + ")";
  if (!held.suffixes) return text;
  return text + (held.suffixes->empty() ? ", no file" : ", only " + printable(joined(*held.suffixes, " ")));
}

std::string gets_text(const Node& node) {
  if (worker::is_refused(node)) return "refused";
  if (node.share.gets.empty()) return "nothing: a pure function";
  std::vector<std::string> words;
  for (const worker::Held& held : node.share.gets) words.push_back(held_text(held));
  return joined(words, "; ");
}

std::string ending_text(const Node& node, const worker::Zones& zones) {
  switch (node.ending) {
    case worker::Ending::None: return "";
    case worker::Ending::Depth: return "calls end here, at depth " + std::to_string(zones.max_depth);
    case worker::Ending::Cycle: return "as above, until calls end at depth " + std::to_string(zones.max_depth);
    case worker::Ending::Again: break;
  }
  return "its calls are shown elsewhere";
}

std::string zone_lines(const service::ProjectWorkers& all, const Palette& colours) {
  std::string text;
  const auto& zones = all.zones.zones;
  for (std::size_t at = 0; at < zones.size(); ++at) {
    std::string note = zones[at].where;
    if (!zones[at].narrowed_by.empty()) note += "; " + zones[at].narrowed_by;
    if (all.places[at] == service::ZonePlace::Missing) note += "; no such folder yet";
    text += "  " + padded("/" + zones[at].name, 16) + padded(std::string(worker::mode_text(zones[at].access)), 5) +
            padded(printable(zones[at].folder.text()), 40) + coloured(colours.dim, printable(note), colours) + "\n";
  }
  return text.empty() ? "  none\n" : text;
}

std::string project_lines(const service::ProjectWorkers& all) {
  const worker::Zones& zones = all.zones;
  std::string text = "Project " + printable(all.resolved.project.id()) + "\n  " +
                     printable(all.resolved.project.root().text()) + "\n  " + zones.file + ": " +
                     std::string(to_text(zones.mode)) + ", approval " + std::string(to_text(zones.approval)) +
                     ", calls end at depth " + std::to_string(zones.max_depth) + "\n";
  for (const worker::OtherKey& key : all.unused)
    text += "  " + zones.file + ":" + std::to_string(key.line) + ": " + key.key + " means nothing to Pale\n";
  return text;
}

class TreeLines {
 public:
  TreeLines(const worker::Tree& tree, const worker::Zones& zones, const Palette& colours)
      : tree_(tree), zones_(zones), colours_(colours) {}

  std::string draw() {
    for (const std::size_t place : worker::called_by(tree_, Node::kNobody)) draw(place, "  ", "  ");
    return text_.empty() ? "  none\n" : std::move(text_);
  }

 private:
  static constexpr std::size_t kColumn = 32;

  void draw(std::size_t place, const std::string& before, const std::string& below) {
    const Node& node = tree_[place];
    const std::string_view colour = worker::is_refused(node) ? colours_.bad : colours_.plain;
    text_ += padded(before + node.name + " ", kColumn) + coloured(colour, gets_text(node), colours_);
    if (const std::string ending = ending_text(node, zones_); !ending.empty())
      text_ += coloured(colours_.dim, "  (" + ending + ")", colours_);
    text_ += "\n";
    const auto called = worker::called_by(tree_, place);
    for (const worker::Refusal& refusal : node.share.lost)
      text_ += below + (called.empty() ? "    " : "│   ") + std::string(to_text(refusal.code)) + ": " +
               printable(refusal.sentence) + "\n" + below + "    hint: " + printable(refusal.hint) + "\n";
    for (const std::size_t child : called) {
      const bool last = child == called.back();
      draw(child, below + (last ? "└─ " : "├─ "), below + (last ? "   " : "│  "));
    }
  }

  const worker::Tree& tree_;
  const worker::Zones& zones_;
  const Palette& colours_;
  std::string text_;
};

std::string counted(std::size_t number, const std::string& one, const std::string& more) {
  return std::to_string(number) + " " + (number == 1 ? one : more);
}

std::string line(std::string_view name, const std::string& value) {
  return padded(std::string(name) + ":", 14) + value + "\n";
}

std::string asked_text(const worker::WorkerFile& file) {
  if (!file.sandbox) return "nothing: a pure function";
  std::vector<std::string> words;
  for (const worker::ZoneRequest& zone : file.sandbox->zones)
    words.push_back(zone.name + " " + std::string(worker::mode_text(zone.access)));
  for (const worker::PathRequest& path : file.sandbox->paths)
    words.push_back(path.name + " " + std::string(worker::mode_text(path.access)) + " in " +
                    (path.root ? printable(path.root->text()) : "."));
  return joined(words, "; ");
}

std::string held_line(const worker::Held& held, const Palette& colours) {
  const auto said = [](const std::optional<project::Approval>& approval) {
    return std::string(to_text(approval.value_or(project::Approval::Ask)));
  };
  return "  " + padded("/" + held.name, 16) + padded(std::string(worker::mode_text(held.access)), 5) +
         printable(held.folder.text()) +
         coloured(colours.dim, "  write " + said(held.approval.write) + ", delete " + said(held.approval.remove),
                  colours) +
         "\n";
}

bool has_suffixes(const Node& node) {
  return std::ranges::any_of(node.share.gets, [](const worker::Held& held) { return held.suffixes.has_value(); });
}

}  // namespace

std::string_view to_text(project::SandboxMode mode) noexcept {
  return mode == project::SandboxMode::Direct ? "direct" : "sandboxed";
}

std::string_view to_text(project::ApprovalMode mode) noexcept {
  switch (mode) {
    case project::ApprovalMode::Auto: return "auto";
    case project::ApprovalMode::Manual: return "manual";
    case project::ApprovalMode::Tool: return "tool";
    case project::ApprovalMode::Deny: break;
  }
  return "deny";
}

std::string_view to_text(project::Approval approval) noexcept {
  return project::kApprovals[static_cast<std::size_t>(approval)].name;
}

std::size_t refused_in(const worker::Tree& tree) {
  return static_cast<std::size_t>(std::ranges::count_if(tree, worker::is_refused));
}

std::string worker_list_lines(const service::ProjectWorkers& all) {
  std::size_t width = 4;
  for (const worker::Worker& each : all.found.workers) width = std::max(width, each.file.name.size());
  std::string text = padded("NAME", width + 2) + padded("FILE", 36) + "DESCRIPTION\n";
  for (const worker::Worker& each : all.found.workers) {
    const std::string entry = each.file.name == all.found.entry ? "  (called first)" : "";
    text += padded(each.file.name, width + 2) + padded(printable(each.path), 36) + printable(each.file.description) +
            entry + "\n";
  }
  return text;
}

std::string worker_show_lines(const service::ProjectWorkers& all, const Node& node, const Palette& colours) {
  const worker::WorkerFile& file = node.worker->file;
  std::string text = line("name", file.name) + line("file", printable(node.worker->path));
  if (!file.description.empty()) text += line("description", printable(file.description));
  if (file.name == all.found.entry) text += line("called first", "yes");
  if (file.locked) text += line("locked", "yes: it is called as it is written");
  text +=
      line("runs", file.run.empty() ? "the project's agent, with its instructions" : printable(joined(file.run, " ")));
  text += line("asks for", asked_text(file)) + line("gets", gets_text(node));
  for (const worker::Held& held : node.share.gets) text += held_line(held, colours);
  if (has_suffixes(node)) text += kAboutSuffixes;
  for (const worker::Refusal& refusal : node.share.lost)
    text += "  " + std::string(to_text(refusal.code)) + ": " + printable(refusal.sentence) +
            "\n    hint: " + printable(refusal.hint) + "\n";
  if (!file.allowed_workers.empty()) text += line("may call", joined(file.allowed_workers, ", "));
  for (const worker::OtherKey& key : file.other)
    text += line("unused", printable(key.key) + ", line " + std::to_string(key.line));
  return text + line("instructions", counted(file.instructions.size(), "byte", "bytes"));
}

std::string worker_check_lines(const service::ProjectWorkers& all, const worker::Tree& tree,
                               const std::vector<Error>& problems, const Palette& colours) {
  std::string text = project_lines(all) + "\nZones\n" + zone_lines(all, colours) + "\nWorkers\n" +
                     TreeLines(tree, all.zones, colours).draw();
  if (std::ranges::any_of(tree, has_suffixes)) text += kAboutSuffixes;
  if (!problems.empty()) text += "\nProblems\n";
  for (const Error& problem : problems) {
    text += "  " + coloured(colours.bad, printable(problem.sentence()), colours) + "\n";
    if (!problem.hint.empty()) text += "    hint: " + printable(problem.hint) + "\n";
  }
  const std::size_t refused = refused_in(tree);
  return text + "\n" + counted(all.found.workers.size(), "worker", "workers") + ", " +
         counted(refused, "call refused", "calls refused") + ", " + counted(problems.size(), "problem", "problems") +
         "\n";
}

}  // namespace pale::cli
