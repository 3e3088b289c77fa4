#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/program.h"
#include "cli/stage.h"
#include "sys/event.h"

namespace pale::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Line {
  stage::Stage stage;
  stage::ChangeSet changes;
};

std::string count_text(const stage::ChangeSet& changes) {
  if (changes.empty()) return "nothing is changed";
  std::string text = std::to_string(changes.size()) + (changes.size() == 1 ? " change" : " changes");
  const std::size_t conflicts = conflicts_in(changes);
  if (conflicts != 0) text += ", " + std::to_string(conflicts) + (conflicts == 1 ? " conflict" : " conflicts");
  return text;
}

std::string lines_of(const std::vector<Line>& stages) {
  std::string text;
  for (const auto& [stage, changes] : stages) {
    text += padded(stage.name, 16) + padded(time_ago(stage.began_ns / kSecond, sys::wall_clock_seconds()), 18) +
            count_text(changes) + (stage.on.empty() ? "" : ", on " + stage.on) + "\n";
  }
  return text;
}

std::string json_of(const std::vector<Line>& stages, const Path& root) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("project", root.text()).key("stages").begin_array();
  for (const auto& [stage, changes] : stages) {
    out.begin_object().field("name", stage.name).field("began", to_iso(stage.began_ns / kSecond)).key("on");
    stage.on.empty() ? out.null() : out.value(stage.on);
    out.field("changes", changes.size()).field("conflicts", conflicts_in(changes)).end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

Result<std::vector<Line>> read_all(const service::Stages& stages, stage::Progress& progress) {
  PALE_TRY(all, stages.store().list());
  std::vector<Line> lines;
  for (stage::Stage& stage : all) {
    PALE_TRY(changes, stages.changes(stage, &progress));
    lines.push_back({std::move(stage), std::move(changes)});
  }
  return lines;
}

}  // namespace

int stage_list_command(const CommandLine& line) {
  const auto call = StageCall::parse("stage list", line, 0);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto stages = call->open();
  if (!stages) return fail_with(stages.error(), call->format);
  TerminalProgress progress;
  const auto lines = read_all(*stages, progress);
  progress.clear();
  if (!lines) return fail_with(lines.error(), call->format);
  if (call->format == Format::Json) {
    print(json_of(*lines, stages->root()));
  } else if (lines->empty()) {
    print_note("there is no stage of " + stages->root().text());
    print_hint("pale run --stage -- COMMAND");
  } else {
    print(lines_of(*lines));
  }
  for (const Line& each : *lines) {
    if (!each.changes.empty()) return kPending;
  }
  return 0;
}

}  // namespace pale::cli
