#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/program.h"
#include "cli/stage.h"
#include "service/stage_diff.h"
#include "sys/event.h"
#include "sys/terminal.h"

namespace pale::cli {
namespace {

constexpr std::size_t kMany = 1000;
constexpr std::int64_t kSecond = 1'000'000'000;

// What both commands begin with: the stage that is meant and what it changes.
struct Seen {
  service::Stages stages;
  stage::Stage stage;
  stage::ChangeSet changes;
};

Result<Seen> look(const StageCall& call) {
  PALE_TRY(stages, call.open());
  PALE_TRY(meant, call.meant(stages));
  TerminalProgress progress;
  auto changes = stages.changes(meant.stage, &progress);
  progress.clear();
  if (!changes) return fail(std::move(changes).error());
  PALE_TRY(chosen, service::choose_changes(*changes, meant.paths));
  return Seen{std::move(stages), std::move(meant.stage), std::move(chosen)};
}

std::string show_text(const Seen& seen, const Palette& colours) {
  const auto& [stages, stage, changes] = seen;
  std::string text = "Stage " + stage.name + " over " +
                     (stage.on.empty() ? printable(stages.root().text()) : "stage " + stage.on) + ", begun " +
                     time_ago(stage.began_ns / kSecond, sys::wall_clock_seconds()) + "\n";
  if (changes.empty()) return text + "  nothing is changed\n";
  stage::ChangeSet conflicts;
  stage::ChangeSet executes;
  stage::ChangeSet protections;
  for (const stage::Change& change : changes) {
    text += change_line(change, colours);
    if (change.conflict != stage::Conflict::None) conflicts.push_back(change);
    if (!change.executes.empty()) executes.push_back(change);
    if (!change.protected_by.empty()) protections.push_back(change);
  }
  return text + listed_apart(conflicts, executes, protections, colours);
}

std::string show_json(const Seen& seen) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("project", seen.stages.root().text());
  out.field("stage", seen.stage.name).key("changes");
  write_changes(out, seen.changes);
  out.end_object();
  return out.text() + "\n";
}

using service::FileDiff;

std::string stat_text(const std::vector<FileDiff>& diffs, const Palette& colours) {
  std::string text;
  stage::LineCount all;
  for (const FileDiff& diff : diffs) {
    all.added += diff.lines.added;
    all.removed += diff.lines.removed;
    text += padded(" " + printable(diff.change->path), 48) + std::string(colours.good) +
            padded("+" + std::to_string(diff.lines.added), 8) + std::string(colours.bad) + "-" +
            std::to_string(diff.lines.removed) + std::string(colours.plain) + "\n";
  }
  return text + " " + std::to_string(diffs.size()) + (diffs.size() == 1 ? " file, +" : " files, +") +
         std::to_string(all.added) + " -" + std::to_string(all.removed) + "\n";
}

std::string diff_json(const Seen& seen, const std::vector<FileDiff>& diffs) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("stage", seen.stage.name).key("files").begin_array();
  for (const FileDiff& diff : diffs) {
    out.begin_object().field("path", diff.change->path).field("kind", to_text(diff.change->kind));
    out.field("added", diff.lines.added).field("removed", diff.lines.removed);
    out.field("conflict", diff.change->conflict != stage::Conflict::None).field("patch", diff.patch).end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

std::string diff_text(const std::vector<FileDiff>& diffs, bool coloured) {
  std::string text;
  for (const FileDiff& diff : diffs) text += diff.patch;
  return coloured ? service::for_terminal(text) : text;
}

}  // namespace

int stage_show_command(const CommandLine& line) {
  const auto call = StageCall::parse("stage show", line, kMany);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto seen = look(*call);
  if (!seen) return fail_with(seen.error(), call->format);
  print(call->format == Format::Json ? show_json(*seen) : show_text(*seen, palette(call->colours)));
  return seen->changes.empty() ? 0 : kPending;
}

int stage_diff_command(const CommandLine& line) {
  const auto call = StageCall::parse("stage diff", line, kMany);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto seen = look(*call);
  if (!seen) return fail_with(seen.error(), call->format);
  const auto diffs = service::diff_changes(seen->stages, seen->stage, seen->changes);
  if (!diffs) return fail_with(diffs.error(), call->format);
  if (call->format == Format::Json) {
    print(diff_json(*seen, *diffs));
  } else if (call->arguments.has("--stat")) {
    print(stat_text(*diffs, palette(call->colours)));
  } else {
    print(diff_text(*diffs, call->colours && sys::is_terminal(1)));
  }
  return seen->changes.empty() ? 0 : kPending;
}

}  // namespace pale::cli
