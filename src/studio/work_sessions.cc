#include <algorithm>

#include "service/agents.h"
#include "service/keeper.h"
#include "service/prepare.h"
#include "service/sessions.h"
#include "service/task_host.h"
#include "service/tenants.h"
#include "studio/records.h"
#include "studio/works.h"

namespace pale::studio {
namespace {

struct Line {
  Path pale_home;
  session::Name name;
};

// A session that lives, of the project that is named. No other project is looked at: whoever may not see its sessions must not
// learn by the answer that there is one.
Result<Line> find(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(pale_home, service::pale_home_of(caller));
  PALE_TRY(place, find_place(pale_home, asked.project));
  PALE_TRY(names, session::sessions_on_disk(pale_home, place.key));
  const auto name = std::ranges::find(names, asked.id, &session::Name::session);
  bool alive = false;
  if (name != names.end()) {
    PALE_TRY(held, session::is_alive(session::place_of(pale_home, name->project, name->session)));
    alive = held;
  }
  if (!alive)
    return fail(ErrorKind::NotFound, "no session of that id lives in this project:", asked.id, "pale session list");
  return Line{std::move(pale_home), std::move(*name)};
}

}  // namespace

Answer list_agents(const Asked& /*asked*/, const service::Caller& caller) {
  PALE_TRY(agents, service::list_agents(caller));
  Json list = Json::array();
  for (const service::ListedAgent& agent : agents) {
    const bool installed = !agent.program.empty();
    list.push_back({{"name", agent.adapter.name},
                    {"about", sane(agent.adapter.about)},
                    {"installed", installed},
                    {"needs", installed ? "" : sane(agent.adapter.install)}});
  }
  return Json{{"agents", std::move(list)}};
}

Answer start_task(const Asked& asked, const service::Caller& caller) {
  service::TaskRequest request;
  request.project = asked.project;
  request.task = asked.said("task");
  request.agent = asked.said("agent");
  request.command = asked.words("command");
  request.staged = asked.flag("stage");
  request.folders = asked.words("workspace");
  request.mode = asked.said("mode");
  request.title = asked.said("title");
  const bool command = !request.command.empty();
  if (command && request.command.front().empty())
    return refuse(Fault(400, "usage", "the command is empty", R"(["make", "test"])"));
  if (command && !request.agent.empty())
    return refuse(Fault(400, "usage", "either an agent or a command", "leave out one of them"));
  if (!command && request.task.empty())
    return refuse(Fault(400, "usage", "there is neither a task nor a command", "{\"task\": \"…\"}"));
  const sys::Fd program(service::kProgramDescriptor);
  PALE_TRY(id, service::start_task(request, program, caller));
  return Json{{"id", id}};
}

Answer give_input(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(found, find(asked, caller));
  PALE_TRY(line, service::SessionLine::connect(found.pale_home, found.name));
  PALE_CHECK(line.ask({.kind = session::Ask::Kind::Input, .data = asked.said("data"), .last = asked.flag("last")}));
  PALE_TRY(told, line.next());
  if (told.kind == session::Tell::Kind::Failed) return refuse(Fault(told.error));
  return Json{{"done", true}};
}

Answer stop_session(const Asked& asked, const service::Caller& caller) {
  PALE_TRY(found, find(asked, caller));
  PALE_CHECK(service::end_session(found.pale_home, found.name));
  return Json{{"done", true}};
}

}  // namespace pale::studio
