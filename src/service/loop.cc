#include "service/loop.h"

#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "base/uuid.h"
#include "scope/prompt.h"
#include "service/loop_run.h"
#include "service/prepare.h"
#include "service/workspace.h"
#include "sys/file.h"
#include "sys/random.h"

namespace pale::service {
namespace {

constexpr std::uint64_t kUsualAtOnce = 3;
constexpr std::uint64_t kMostAtOnce = 64;
constexpr std::size_t kShortId = 8;

// What the manifest and the file say of a run, for the prompt and the checks; what the kernel keeps is agreed anew for each run.
struct Agreement {
  project::Resolved resolved;
  Path pale_home;
  LoopStories stories;
  Terms terms;
};
Result<Agreement> agree(LoopRequest& loop, const Caller& caller) {
  Request& request = loop.agent.request;
  PALE_TRY(around, surroundings_of(caller));
  PALE_TRY(config, project::read_config(around.pale_home));
  PALE_TRY(resolved, project::resolve(request.project, around));
  PALE_TRY(stories, LoopStories::read(loop.prd, resolved.project.root()));
  if (stories.prd().workspace)
    request.workspace.of_stories = {*stories.prd().workspace, std::string(stories.file().name())};
  PALE_TRY(workspace, with_variables(request.workspace, caller));
  request.workspace = std::move(workspace);
  PALE_TRY(terms, agree_terms(request, resolved, config));
  return Agreement{std::move(resolved), around.pale_home, std::move(stories), std::move(terms)};
}

std::vector<std::string> folders_of(const Agreement& agreement) {
  std::vector<std::string> names;
  for (const auto& folder : agreement.terms.settings.folders)
    names.emplace_back(agreement.resolved.project.root().below(folder.value));
  return names;
}

scope::Mode mode_of(const Agreement& agreement) {
  return is_strict(agreement.terms.settings) ? scope::Mode::Strict : scope::Mode::Permissive;
}

std::string workspace_section(const Agreement& agreement) {
  const std::vector<std::string> names = folders_of(agreement);
  return names.empty() ? std::string() : scope::prompt_section(names, mode_of(agreement));
}

// Nobody marks his own work as done.
void protect_stories(Request& request, const Path& file, const Path& root) {
  if (root.covers(file) && file != root)
    request.paths.push_back({PathRule::Protect, std::string(root.below(file)), "the stories of pale loop"});
}

// Of [hooks]; empty: there is none.
std::vector<std::string> hook(const project::Settings& settings, std::string_view key) {
  const auto found = std::ranges::find(settings.declared, key, &project::Declared::key);
  return found == settings.declared.end() ? std::vector<std::string>() : loop::shell_command(found->value);
}

// Does a step now, and waits for it.
template <typename Body>
Result<ForkedResult> do_now(Body body) {
  PALE_TRY(nothing, sys::open_at(sys::kAbsolute, "/dev/null", O_WRONLY));
  PALE_TRY(forked, Forked::start(nothing, body));
  return forked.finish();
}

// What a loop that was killed left: what is in the project counts, and the rest begins anew.
Status finish_last_loop(const LoopStories& stories, LoopLog& log, const project::Named& project, const Caller& caller,
                        LoopScreen& screen) {
  PALE_TRY(entries, log.read());
  loop::Unfinished left = loop::unfinished(entries);
  for (const loop::Unfinished::Open& open : left.stages) {
    const StageStep step{project, open.stage, {}, false, false};
    PALE_TRY(applied, do_now([&] { return was_applied_step(step, caller); }));
    if (applied.code == 0) {
      left.applied.push_back(open.story);
      PALE_CHECK(log.append({"applied", 0, open.story, 0, open.stage, 0, 0, "found by the next loop"}));
    }
    PALE_TRY(dropped, do_now([&] { return drop_step(step, caller); }));
    if (dropped.code == 0 && applied.code != 0)
      PALE_CHECK(log.append({"dropped", 0, open.story, 0, open.stage, 0, 0, ""}));
  }
  for (const std::string& id : left.applied) {
    const auto known = std::ranges::find(stories.prd().stories, id, &scope::Story::id);
    if (known != stories.prd().stories.end()) {
      PALE_CHECK(stories.mark(id));
      if (!known->passes) screen.tell(printable(id) + " was done when the last loop ended, and is marked now");
    }
    PALE_CHECK(log.append({"passed", 0, id, 0, "", 0, 0, ""}));
  }
  return {};
}

std::optional<std::uint64_t> at_once(const LoopRequest& request, const scope::Prd& prd) {
  if (request.parallel) return std::min(*request.parallel, kMostAtOnce);
  if (!prd.parallelization.enabled) return std::nullopt;
  return std::min(prd.parallelization.max_workers.value_or(kUsualAtOnce), kMostAtOnce);
}

std::string figures_text(const LoopFigures& figures) {
  JsonWriter out;
  out.begin_object().field("readUs", figures.read_us).field("agentMs", figures.agent_ms);
  out.field("validationUs", figures.validation_us)
      .field("startUs", figures.start_us)
      .field("watchUs", figures.watch_us);
  out.field("verifyMs", figures.verify_ms).field("validateMs", figures.validate_ms);
  out.field("applyMs", figures.apply_ms).field("wholeMs", figures.whole_ms);
  return out.end_object().text();
}

}  // namespace

Result<LoopEnd> run_loop(const LoopRequest& given, const Caller& caller, LoopScreen& screen) {
  LoopRequest request = given;
  Request& boundary = request.agent.request;
  const std::int64_t began = sys::wall_clock_ns();
  PALE_TRY(agreement, agree(request, caller));
  const Path root = agreement.resolved.project.root();
  const LoopStories& found = agreement.stories;
  boundary.project = {};
  boundary.project.root = root.text();
  const std::int64_t read_us = (sys::wall_clock_ns() - began) / 1000;
  PALE_TRY(log, LoopLog::open(agreement.pale_home, found.file()));
  PALE_CHECK(finish_last_loop(found, log, boundary.project, caller, screen));
  PALE_TRY(scopes, LoopScopes::begin(root, folders_of(agreement), mode_of(agreement), found.file(), screen));
  PALE_TRY(stories, LoopStories::read(request.prd, root));
  protect_stories(boundary, stories.file(), root);
  request.parallel = at_once(request, stories.prd());
  // That there is such an agent is found out before anything begins.
  AgentRequest trial = request.agent;
  trial.task = "a story";
  PALE_TRY(agent, equip_agent(std::move(trial), caller));
  if (agent.lacks_network)
    screen.tell(agent.agent + " reaches its model over the network, and this boundary has none: --network allow");

  PALE_TRY(record, CallRecord::begin(agreement.pale_home, agreement.resolved.project.id(), {.kind = "loop"}));
  const LoopGround ground{request,
                          caller,
                          stories,
                          scopes,
                          boundary.project,
                          workspace_section(agreement),
                          hook(agreement.terms.settings, "hooks.verify"),
                          hook(agreement.terms.settings, "hooks.validate"),
                          record.session().substr(0, kShortId)};
  const loop::Limits limits{request.parallel.value_or(1), request.runs.value_or(~std::uint64_t{0}), request.tries};
  PALE_CHECK(log.append({"begun", 0, "", 0, "", 0, 0, record.session()}));
  LoopRun run(
      ground,
      loop::Schedule(stories.prd().stories, limits, request.parallel ? loop::Where::Stages : loop::Where::Project), log,
      record, screen);
  const Status done = run.run();
  LoopEnd end{run.views(),   run.schedule().runs(), run.was_stopped(), !run.schedule().has_runs_left(),
              run.figures(), log.file().text(),     record.session()};
  end.figures.read_us = read_us;
  PALE_CHECK(log.append({"ended", 0, "", 0, "", 0, end.figures.whole_ms, figures_text(end.figures)}));
  PALE_CHECK(record.end(end.stopped ? "killed" : "ended"));
  if (!done) return std::unexpected(done.error());
  return end;
}

}  // namespace pale::service
