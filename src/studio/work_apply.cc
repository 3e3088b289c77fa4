#include <algorithm>
#include <set>

#include "stage/apply.h"
#include "studio/stage_view.h"
#include "studio/works.h"

namespace pale::studio {
namespace {

// What a person chose.
struct Choice {
  std::vector<std::string> paths;  // empty: all
  std::map<std::string, std::set<std::string>> hunks;
  std::map<std::string, std::string> resolutions;
  std::set<std::string> ticked;
  std::map<std::string, std::string> versions;
};

std::expected<Choice, Fault> choice_of(const Asked& asked) {
  Choice choice;
  const auto files = asked.words("files");
  choice.paths = files;
  const Json hunks = asked.body.value("hunks", Json::object());
  for (const auto& [path, ids] : hunks.items()) {
    for (const Json& id : ids) choice.hunks[path].insert(id.get<std::string>());
    if (!ids.empty()) choice.paths.push_back(path);
  }
  const Json resolutions = asked.body.value("resolutions", Json::object());
  for (const auto& [path, text] : resolutions.items()) {
    choice.resolutions[path] = text.get<std::string>();
    if (std::ranges::find(choice.paths, path) == choice.paths.end()) choice.paths.push_back(path);
  }
  for (const std::string& id : asked.words("gate")) choice.ticked.insert(id);
  const Json versions = asked.body.value("versions", Json::object());
  for (const auto& [path, version] : versions.items()) choice.versions[path] = version.get<std::string>();
  const bool said = asked.body.contains("files") || asked.body.contains("hunks") || asked.body.contains("resolutions");
  if (said && choice.paths.empty())
    return refuse(Fault(400, "usage", "nothing is chosen", "name files or hunks; or none of both, for all"));
  return choice;
}

Json paths_of(const stage::ChangeSet& changes) {
  Json paths = Json::array();
  for (const stage::Change& change : changes) paths.push_back(sane(change.path));
  return paths;
}

// In a conflict, the text that the person made of it.
Status resolve(const stage::View& view, const Choice& choice, stage::Selection& selection) {
  for (stage::Item& item : selection.items) {
    const auto found = choice.resolutions.find(item.change.path);
    if (found == choice.resolutions.end()) continue;
    PALE_TRY(forgettable, stage::can_forget(view.upper(), item.change.path));
    const bool file = item.change.after.kind == stage::EntryKind::File;
    if (!forgettable || !file)
      return fail(ErrorKind::Refused, "this conflict can only be settled as a whole:", item.change.path,
                  "take the stage's version, or leave it out");
    item.text = found->second;
    std::erase_if(selection.conflicts, [&](const stage::Change& change) { return change.path == item.change.path; });
  }
  return {};
}

std::unexpected<Fault> stale(const std::string& path) {
  return refuse(Fault(409, "conflict", "these hunks are others by now: " + path, "look at the file's diff again",
                      {{"conflicts", Json::array({sane(path)})}}));
}

// Of files whose hunks were chosen, these alone.
std::expected<void, Fault> choose_hunks(const stage::View& view, const Choice& choice,
                                        std::vector<stage::Item>& items) {
  for (stage::Item& item : items) {
    const auto wanted = choice.hunks.find(item.change.path);
    if (wanted == choice.hunks.end() || wanted->second.empty() || item.text) continue;
    PALE_TRY(file, service::HunkedFile::open(view, item.change));
    if (!file) continue;  // One that cannot be taken apart is one hunk.
    std::vector<std::size_t> chosen;
    for (std::size_t at = 0; at < file->size(); ++at) {
      if (wanted->second.contains(hunk_id(file->text(at)))) chosen.push_back(at);
    }
    if (chosen.size() != wanted->second.size()) return stale(item.change.path);
    if (chosen.size() == file->size()) continue;
    item = stage::Item{item.change, file->with(chosen), true};
  }
  return {};
}

// What was accepted is what was shown, and not what somebody has made of it since.
std::expected<void, Fault> check_versions(const stage::View& view, const Choice& choice,
                                          const std::vector<stage::Item>& items) {
  Json changed = Json::array();
  for (const stage::Item& item : items) {
    const auto seen = choice.versions.find(item.change.path);
    if (seen == choice.versions.end()) continue;
    PALE_TRY(version, version_of(view, item.change));
    if (version != seen->second) changed.push_back(sane(item.change.path));
  }
  if (changed.empty()) return {};
  return refuse(Fault(409, "conflict", "these files are others by now than those that were accepted",
                      "look at them again", {{"changed", std::move(changed)}}));
}

// Each change that the host would execute must have been ticked as it is now.
std::expected<void, Fault> check_gate(const stage::View& view, const Choice& choice,
                                      const std::vector<stage::Item>& items) {
  Json unticked = Json::array();
  for (const stage::Item& item : items) {
    if (item.change.executes.empty()) continue;
    PALE_TRY(gate, gate_item(view, item.change));
    if (!choice.ticked.contains(gate.at("id").get<std::string>())) unticked.push_back(std::move(gate));
  }
  if (unticked.empty()) return {};
  return refuse(Fault(403, "gate", "something on the host would execute what is not ticked",
                      "tick each of them, or leave it out", {{"unticked", std::move(unticked)}}));
}

}  // namespace

Answer apply_stage(const Asked& asked, const service::Caller& caller) {
  auto choice = choice_of(asked);
  if (!choice) return refuse(std::move(choice).error());
  PALE_TRY(stages, open_stages(asked, caller));
  PALE_TRY(found, stages.find(asked.id));
  PALE_TRY(locks, service::lock_for_apply(stages, found));
  PALE_TRY(changes, stages.changes(found, nullptr));
  service::ApplyRequest request;
  request.paths = choice->paths;
  request.allow_all = true;  // check_gate() looks at each.
  PALE_TRY(proposal, service::propose(stages, found, changes, request));
  stage::Selection& selection = proposal.selection;
  if (!selection.protections.empty())
    return refuse(Fault(403, "protected", "protected paths can never be applied", "leave them out",
                        {{"protected", paths_of(selection.protections)}}));
  PALE_TRY(view, stages.view(found));
  if (auto same = check_versions(view, *choice, selection.items); !same) return refuse(std::move(same).error());
  PALE_CHECK(resolve(view, *choice, selection));
  if (!selection.conflicts.empty())
    return refuse(Fault(409, "conflict", "the project was changed there, too",
                        "settle the conflicts, or leave them out", {{"conflicts", paths_of(selection.conflicts)}}));
  if (auto gate = check_gate(view, *choice, selection.items); !gate) return refuse(std::move(gate).error());
  if (auto chosen = choose_hunks(view, *choice, selection.items); !chosen) return refuse(std::move(chosen).error());
  PALE_TRY(journal, service::apply_items(stages, found, selection.items, nullptr));
  Json applied = Json::array();
  for (const stage::Item& item : selection.items) applied.push_back(sane(item.change.path));
  const auto left = stages.changes(found, nullptr);
  return Json{
      {"applied", std::move(applied)}, {"journal", journal ? journal->number : 0}, {"left", left ? left->size() : 0}};
}

}  // namespace pale::studio
