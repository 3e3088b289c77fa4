#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/program.h"
#include "cli/stage.h"
#include "sys/event.h"

namespace pale::cli {
namespace {

constexpr Option kProject[] = {
    {"--project-root", "DIR", "the project: a directory"},
    {"-p", "ID", "the project: one that is registered (pale project list)"},
    {"--workspace", "UUID", "with -p: a workspace of a managed project (pale workspace list)"},
    {"--json", "", "print as JSON"},
};
constexpr Option kDiff[] = {
    kProject[0], kProject[1], kProject[2], {"--stat", "", "only how many lines of each file"}, kProject[3],
};
constexpr Option kApply[] = {
    kProject[0],
    kProject[1],
    kProject[2],
    {"--patch", "", "ask about every change, hunk by hunk"},
    {"--merge", "", "where the project was changed too: put both together, if they do not touch"},
    {"--ours", "", "where the project was changed too: keep the project's"},
    {"--theirs", "", "where the project was changed too: take the stage's"},
    {"--allow-exec", "PATH", "apply this, although something on the host would execute it"},
    {"--yes", "", "apply everything that something on the host would execute"},
    kProject[3],
};
constexpr Option kDiscard[] = {kProject[0], kProject[1], kProject[2], {"--yes", "", "do not ask"}, kProject[3]};
constexpr Option kUndo[] = {
    kProject[0],
    kProject[1],
    kProject[2],
    {"--apply", "NUMBER", "this one, not the last"},
    {"--list", "", "show what can be undone"},
    kProject[3],
};
constexpr Option kPrune[] = {
    kProject[0],
    kProject[1],
    kProject[2],
    {"--older", "TIME", "than this, such as 7d; usually your setting history (pale config list)"},
    {"--dry-run", "", "only say which"},
    kProject[3],
};

std::string journal_line(const stage::Journal& journal) {
  std::string what = journal.undoes == 0 ? "applied from stage " + journal.stage
                                         : "undid " + std::to_string(journal.undoes) + " of stage " + journal.stage;
  if (journal.undone_by != 0) what += ", undone by " + std::to_string(journal.undone_by);
  const std::size_t count = journal.operations.size();
  return padded(std::to_string(journal.number), 6) + padded(time_ago(journal.seconds, sys::wall_clock_seconds()), 18) +
         std::to_string(count) + (count == 1 ? " path, " : " paths, ") + printable(what) + "\n";
}

std::string journals_json(const std::vector<stage::Journal>& journals) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).key("applies").begin_array();
  for (const stage::Journal& journal : journals) {
    out.begin_object()
        .field("apply", journal.number)
        .field("stage", journal.stage)
        .field("at", to_iso(journal.seconds));
    out.key("undoes");
    journal.undoes == 0 ? out.null() : out.value(journal.undoes);
    out.key("undoneBy");
    journal.undone_by == 0 ? out.null() : out.value(journal.undone_by);
    out.key("paths").begin_array();
    for (const stage::Operation& operation : journal.operations) out.value(operation.path);
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

int print_journals(const std::vector<stage::Journal>& journals, Format format) {
  if (format == Format::Json) {
    print(journals_json(journals));
    return 0;
  }
  std::string text;
  for (const stage::Journal& journal : journals) text += journal_line(journal);
  print(text.empty() ? "Nothing was applied yet.\n" : text);
  return 0;
}

int list_history(const service::Stages& stages, Format format) {
  const auto history = stage::read_history(stages.store());
  return history ? print_journals(*history, format) : fail_with(history.error(), format);
}

Status check_discard(const StageCall& call, const service::Stages& stages, const stage::Stage& stage) {
  PALE_CHECK(service::check_discardable(stages, stage));
  if (call.arguments.has("--yes")) return {};
  const auto changes = stages.changes(stage, nullptr);
  if (changes && changes->empty()) return {};
  // What cannot be looked at can be thrown away all the same.
  std::string count = "changes that cannot be counted";
  if (changes) count = std::to_string(changes->size()) + (changes->size() == 1 ? " change" : " changes");
  if (confirm("Discard stage " + stage.name + " with " + count + "?")) return {};
  return fail(ErrorKind::Refused, "this would lose " + count + " of stage", stage.name,
              "pale stage discard " + stage.name + " --yes");
}

}  // namespace

std::span<const Option> stage_options() { return kProject; }
std::span<const Option> stage_diff_options() { return kDiff; }
std::span<const Option> stage_apply_options() { return kApply; }
std::span<const Option> stage_discard_options() { return kDiscard; }
std::span<const Option> stage_undo_options() { return kUndo; }
std::span<const Option> stage_prune_options() { return kPrune; }

int stage_discard_command(const CommandLine& line) {
  const auto call = StageCall::parse("stage discard", line, 1);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto stages = call->open();
  if (!stages) return fail_with(stages.error(), call->format);
  const auto meant = call->meant(*stages);
  if (!meant) return fail_with(meant.error(), call->format);
  const auto allowed = check_discard(*call, *stages, meant->stage);
  if (!allowed) return fail_with(allowed.error(), call->format);
  const auto done = service::discard_stage(*stages, meant->stage);
  if (!done) return fail_with(done.error(), call->format);
  if (call->format == Format::Json) {
    JsonWriter out;
    out.begin_object()
        .field("schemaVersion", 1)
        .field("stage", meant->stage.name)
        .field("discarded", true)
        .end_object();
    print(out.text() + "\n");
  } else {
    print("Discarded stage " + meant->stage.name + ".\n");
  }
  return 0;
}

int stage_undo_command(const CommandLine& line) {
  const auto call = StageCall::parse("stage undo", line, 1);
  if (!call) return fail_with(call.error(), Format::Text);
  const std::string given = call->arguments.value("--apply");
  const auto number = parse_number(given.empty() ? "0" : given);
  if (!number)
    return fail_with({ErrorKind::Usage, 0, "not the number of an apply:", given, "pale stage undo --list"},
                     call->format);
  const auto stages = call->open();
  if (!stages) return fail_with(stages.error(), call->format);
  if (call->arguments.has("--list")) return list_history(*stages, call->format);
  const std::string stage = call->arguments.operands.empty() ? "" : call->arguments.operands.front();
  const auto journal = service::undo_apply(*stages, stage, *number);
  if (!journal) return fail_with(journal.error(), call->format);
  if (call->format == Format::Json) return print_journals({*journal}, call->format);
  const std::size_t count = journal->operations.size();
  print("Undid apply " + std::to_string(journal->undoes) + ": " + std::to_string(count) +
        (count == 1 ? " path" : " paths") + ". To take that back: pale stage undo --apply " +
        std::to_string(journal->number) + "\n");
  return 0;
}

int stage_prune_command(const CommandLine& line) {
  const auto call = StageCall::parse("stage prune", line, 0);
  if (!call) return fail_with(call.error(), Format::Text);
  std::optional<std::int64_t> seconds;
  if (call->arguments.has("--older")) {
    const auto time = parse_duration(call->arguments.value("--older"));
    if (!time)
      return fail_with(
          {ErrorKind::Usage, 0, "not a value for --older:", call->arguments.value("--older"), "--older 7d"},
          call->format);
    seconds = static_cast<std::int64_t>(*time);
  }
  const auto stages = call->open();
  if (!stages) return fail_with(stages.error(), call->format);
  const auto trial = call->arguments.has("--dry-run") ? service::Trial::Dry : service::Trial::Real;
  const auto gone = service::prune_history(*stages, seconds, trial);
  if (!gone) return fail_with(gone.error(), call->format);
  if (call->format == Format::Text) {
    const std::string count = std::to_string(gone->size()) + (gone->size() == 1 ? " apply" : " applies");
    print((trial == service::Trial::Dry ? "Would forget " : "Forgot ") + count + (gone->empty() ? ".\n" : ":\n"));
    if (gone->empty()) return 0;
  }
  return print_journals(*gone, call->format);
}

}  // namespace pale::cli
