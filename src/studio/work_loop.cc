#include <algorithm>
#include <map>

#include "loop/log.h"
#include "service/loop_log.h"
#include "service/loop_stories.h"
#include "service/prepare.h"
#include "studio/manifest.h"
#include "studio/works.h"
#include "sys/file.h"

namespace pale::studio {
namespace {

constexpr std::size_t kMostLog = 64UL << 20U;

// What the log of a loop says of one story.
struct Progress {
  std::string state;
  std::uint64_t attempts = 0;
  std::string stage;
  std::string why;
};

struct LoopState {
  bool running = false;
  std::string session;
  std::map<std::string, Progress> stories;
};

void take(LoopState& state, const loop::Entry& entry) {
  if (entry.event == "begun") state = {true, entry.text, {}};
  if (entry.event == "ended") state.running = false;
  if (entry.story.empty()) return;
  Progress& story = state.stories[entry.story];
  if (entry.event == "run") {
    story.state = "running";
    ++story.attempts;
    story.stage = entry.stage;
  }
  if (entry.event == "failed" || entry.event == "conflict" || entry.event == "stopped") {
    story.state = entry.event == "conflict" ? "" : "failed";  // In a conflict it is run again, and did nothing wrong.
    story.why = entry.text;
  }
  if (entry.event == "passed" || entry.event == "applied") story.state = "passed";
  if (entry.event == "dropped" || entry.event == "applied") story.stage.clear();
}

Result<LoopState> state_of(const Path& pale_home, const Path& prd) {
  LoopState state;
  const Path file = service::loop_log_of(pale_home, prd);
  auto log = sys::open_at(sys::kAbsolute, file.c_str(), O_RDONLY | O_NOFOLLOW);
  if (!log) return state;  // None ever worked on it.
  PALE_TRY(lock, sys::try_lock(*log, sys::LockKind::Shared));
  log->reset();  // A loop that begins now must not find it locked.
  PALE_TRY(text, sys::read_file(sys::kAbsolute, file.c_str(), kMostLog));
  for (const loop::Entry& entry : loop::read_log(text)) take(state, entry);
  state.running = state.running && lock == sys::Lock::Held;  // One that was killed says of no end.
  return state;
}

std::string state_text(const scope::Story& story, const Progress& progress, const LoopState& loop,
                       const std::vector<scope::Story>& all) {
  if (story.passes) return "passed";
  if (progress.state == "running" && loop.running) return "running";
  if (progress.state == "failed") return "failed";  // Until its turn comes again, if it does.
  bool ready = true;
  for (const std::string& id : story.dependencies) {
    const auto found = std::ranges::find(all, id, &scope::Story::id);
    const bool passed = found != all.end() && found->passes;
    const auto its = loop.stories.find(id);
    if (!passed && its != loop.stories.end() && its->second.state == "failed" && !loop.running) return "blocked";
    ready = ready && passed;
  }
  return ready ? "ready" : "waiting";
}

Json story_json(const scope::Story& story, const LoopState& loop, const std::vector<scope::Story>& all) {
  const auto found = loop.stories.find(story.id);
  const Progress progress = found != loop.stories.end() ? found->second : Progress();
  Json json = {{"id", sane(story.id)},
               {"title", sane(story.title)},
               {"priority", std::min<std::int64_t>(story.priority, INT32_MAX)},
               {"state", state_text(story, progress, loop, all)},
               {"dependencies", Json::array()},
               {"attempts", progress.attempts},
               {"notes", sane(progress.why.empty() ? story.notes : progress.why)}};
  for (const std::string& id : story.dependencies) json["dependencies"].push_back(sane(id));
  if (!progress.stage.empty()) json["stage_id"] = progress.stage;
  if (progress.attempts > 0 && !loop.session.empty()) json["session_id"] = loop.session;
  return json;
}

}  // namespace

Answer show_loop(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(pale_home, service::pale_home_of(caller));
  PALE_TRY(resolved, resolve_project(asked, caller));
  const Path root = resolved.project.root();
  Json json = {{"running", false}, {"prd", ""}, {"stories", Json::array()}, {"problem", ""}};
  PALE_TRY(info, sys::file_info(sys::kAbsolute, (root / "prd.json").c_str()));
  if (info.kind == sys::FileKind::Missing) return json;
  json["prd"] = sane((root / "prd.json").text());
  const auto stories = service::LoopStories::read("", root);
  if (!stories) {
    json["problem"] = sane(stories.error().sentence());
    return json;
  }
  PALE_TRY(state, state_of(pale_home, stories->file()));
  json["running"] = state.running;
  for (const scope::Story& story : stories->prd().stories)
    json["stories"].push_back(story_json(story, state, stories->prd().stories));
  return json;
}

}  // namespace pale::studio
