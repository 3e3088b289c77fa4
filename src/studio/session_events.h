// studio/session_events.h: sessions and what happened in them, as the API says it.
#pragma once

#include "history/record.h"
#include "session/question.h"
#include "studio/answer.h"

namespace pale::studio {

Json to_json(const session::Event& event);

// What the session itself wrote down of it, where that is still there.
struct Told {
  std::string kind;  // run, agent, session, worker, loop, tools; empty: not told
  std::string title;
  std::string agent;
};
// `questions`: those that wait in its project.
Json to_json(const history::Session& session, const Told& told, const std::vector<session::Question>& questions,
             const std::string& project);

}  // namespace pale::studio
