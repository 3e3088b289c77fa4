#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/program.h"
#include "cli/stage.h"
#include "service/stage_diff.h"
#include "sys/terminal.h"

namespace pale::cli {
namespace {

constexpr std::size_t kMany = 1000;

Result<service::ApplyRequest> request_of(const StageCall& call, const service::Stages& stages,
                                         std::vector<std::string> paths) {
  service::ApplyRequest request;
  request.paths = std::move(paths);
  request.allow_all = call.arguments.has("--yes");
  for (const auto& [name, value] : call.arguments.options) {
    if (name != "--allow-exec") continue;
    PALE_TRY(allowed, StageCall::project_paths(stages, {value}));
    if (allowed.empty())
      return fail(ErrorKind::Usage, "--allow-exec names one file or directory, not the project:", value,
                  "--yes, for all");
    request.allow_exec.push_back(std::move(allowed.front()));
  }
  constexpr std::pair<std::string_view, service::Resolve> kWays[] = {
      {"--ours", service::Resolve::Ours}, {"--theirs", service::Resolve::Theirs}, {"--merge", service::Resolve::Merge}};
  for (const auto& [name, way] : kWays) {
    if (!call.arguments.has(name)) continue;
    if (request.resolve != service::Resolve::Refuse)
      return fail(ErrorKind::Usage, "only one of these at a time:", "--ours, --theirs, --merge",
                  "leave out the others");
    request.resolve = way;
  }
  return request;
}

// What the user wants of the hunks of one file, or of a change that has none.
enum class Answer { Yes, No, AllOfFile, NoneOfFile, Quit };

Answer ask(const std::string& question) {
  for (;;) {
    print_beside(question + " [y,n,a,d,q,?] ");
    const std::string answer = read_answer();
    switch (answer.empty() ? 'q' : answer.front()) {
      case 'y': return Answer::Yes;
      case 'n': return Answer::No;
      case 'a': return Answer::AllOfFile;
      case 'd': return Answer::NoneOfFile;
      case 'q': return Answer::Quit;
      default:
        print_beside(
            "y: take this   n: leave it   a: take all of this file   d: leave the rest of this file   "
            "q: take nothing more\n");
    }
  }
}

// Goes through the items, shows each and asks.
class Questions {
 public:
  Questions(const service::Stages& stages, const stage::Stage& stage, bool coloured)
      : stages_(stages), stage_(stage), coloured_(coloured) {}

  Result<std::vector<stage::Item>> choose(const std::vector<stage::Item>& items) {
    std::vector<stage::Item> chosen;
    PALE_TRY(view, stages_.view(stage_));
    for (const stage::Item& item : items) {
      if (quit_) break;
      PALE_TRY(file, item.text ? Result<std::optional<service::HunkedFile>>(std::nullopt)
                               : service::HunkedFile::open(view, item.change));
      PALE_TRY(taken, file && file->size() > 1 ? choose_hunks(item, *file) : choose_whole(item));
      if (taken) chosen.push_back(std::move(*taken));
    }
    return chosen;
  }

 private:
  Result<std::optional<stage::Item>> choose_whole(const stage::Item& item) {
    const stage::ChangeSet one = {item.change};
    PALE_TRY(diffs, service::diff_changes(stages_, stage_, one));
    show(diffs.empty() ? change_line(item.change, {}) : diffs.front().patch);
    const Answer answer = ask("apply this change of " + printable(item.change.path) + "?");
    quit_ = answer == Answer::Quit;
    return answer == Answer::Yes || answer == Answer::AllOfFile ? std::optional(item) : std::nullopt;
  }

  Result<std::optional<stage::Item>> choose_hunks(const stage::Item& item, const service::HunkedFile& file) {
    show("--- a/" + item.change.path + "\n+++ b/" + item.change.path + "\n");
    std::vector<std::size_t> chosen;
    Answer answer = Answer::Yes;
    for (std::size_t at = 0; at < file.size() && !quit_ && answer != Answer::NoneOfFile; ++at) {
      if (answer != Answer::AllOfFile) {
        show(file.text(at));
        answer = ask("apply this hunk (" + std::to_string(at + 1) + "/" + std::to_string(file.size()) + ")?");
      }
      quit_ = answer == Answer::Quit;
      if (answer == Answer::Yes || answer == Answer::AllOfFile) chosen.push_back(at);
    }
    if (chosen.empty()) return std::nullopt;
    if (chosen.size() == file.size()) return item;
    return stage::Item{item.change, file.with(chosen), true};
  }

  void show(const std::string& patch) const { print(coloured_ ? service::for_terminal(patch) : patch); }

  const service::Stages& stages_;
  const stage::Stage& stage_;
  bool coloured_;
  bool quit_ = false;
};

// Why nothing was applied; the exit code.
int refuse(const StageCall& call, const service::Stages& stages, const stage::Stage& stage,
           const service::Proposal& proposal) {
  const stage::Selection& selection = proposal.selection;
  if (call.format == Format::Json) {
    JsonWriter out;
    out.begin_object().field("schemaVersion", 1).field("stage", stage.name).field("applied", false);
    out.key("conflicts");
    write_changes(out, selection.conflicts);
    out.key("executes");
    write_changes(out, selection.executes);
    out.key("protected");
    write_changes(out, selection.protections);
    out.end_object();
    print(out.text() + "\n");
  } else {
    print(
        listed_apart(selection.conflicts, selection.executes, selection.protections, palette(call.colours)).substr(1));
    const auto diffs = service::diff_changes(stages, stage, selection.conflicts);
    for (const service::FileDiff& diff : diffs ? *diffs : std::vector<service::FileDiff>()) print("\n" + diff.patch);
    print_note("nothing was applied");
  }
  return selection.protections.empty() && selection.executes.empty() ? kPending : kRefused;
}

int report(const StageCall& call, const stage::Stage& stage, const std::optional<stage::Journal>& journal,
           std::size_t count) {
  if (call.format == Format::Json) {
    JsonWriter out;
    out.begin_object().field("schemaVersion", 1).field("stage", stage.name).field("applied", journal.has_value());
    out.key("apply");
    journal ? out.value(journal->number) : out.null();
    out.field("changes", count).end_object();
    print(out.text() + "\n");
  } else if (!journal) {
    print_note("nothing to apply in stage " + stage.name);
  } else {
    print("Applied " + std::to_string(count) + (count == 1 ? " change" : " changes") + " of stage " + stage.name +
          ". To take it back: pale stage undo --apply " + std::to_string(journal->number) + "\n");
  }
  return 0;
}

int apply_proposal(const StageCall& call, const service::Stages& stages, const stage::Stage& stage,
                   service::Proposal& proposal) {
  stage::Selection& selection = proposal.selection;
  if (!selection.executes.empty() && selection.protections.empty() && selection.conflicts.empty() &&
      call.format == Format::Text && sys::is_terminal(0)) {
    print(listed_apart({}, selection.executes, {}, palette(call.colours)).substr(1));
    if (!confirm("Apply these as well?")) {
      print_note("nothing was applied");
      return kRefused;
    }
    selection.executes.clear();
  }
  if (!selection.protections.empty() || !selection.executes.empty() || !selection.conflicts.empty())
    return refuse(call, stages, stage, proposal);
  if (call.arguments.has("--patch")) {
    auto chosen = Questions(stages, stage, call.colours && sys::is_terminal(1)).choose(selection.items);
    if (!chosen) return fail_with(chosen.error(), call.format);
    selection.items = std::move(*chosen);
  }
  TerminalProgress progress;
  const auto journal = service::apply_items(stages, stage, selection.items, &progress);
  progress.clear();
  if (!journal) return fail_with(journal.error(), call.format);
  return report(call, stage, *journal, selection.items.size());
}

}  // namespace

int stage_apply_command(const CommandLine& line) {
  const auto call = StageCall::parse("stage apply", line, kMany);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto stages = call->open();
  if (!stages) return fail_with(stages.error(), call->format);
  auto meant = call->meant(*stages);
  if (!meant) return fail_with(meant.error(), call->format);
  const auto request = request_of(*call, *stages, std::move(meant->paths));
  if (!request) return fail_with(request.error(), call->format);
  const auto locks = service::lock_for_apply(*stages, meant->stage);
  if (!locks) return fail_with(locks.error(), call->format);
  TerminalProgress progress;
  const auto changes = stages->changes(meant->stage, &progress);
  progress.clear();
  if (!changes) return fail_with(changes.error(), call->format);
  auto proposal = service::propose(*stages, meant->stage, *changes, *request);
  if (!proposal) return fail_with(proposal.error(), call->format);
  return apply_proposal(*call, *stages, meant->stage, *proposal);
}

}  // namespace pale::cli
