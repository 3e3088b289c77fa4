#include "base/text.h"
#include "cli/console.h"
#include "history/history.h"
#include "keeper/commands.h"
#include "keeper/session_log.h"
#include "keeper/session_view.h"
#include "service/prepare.h"
#include "session/place.h"
#include "sys/event.h"
#include "sys/terminal.h"
#include "tenant/project.h"

namespace pale::keeper {
namespace {

using cli::Arguments;
using cli::Format;

constexpr std::int64_t kPause = 50;  // milliseconds between two looks

// A command line of `pale session …`, and the history with all that sessions have written so far.
struct SessionCall {
  Arguments arguments;
  Format format = Format::Text;
  Path pale_home;
  history::History history;

  static Result<SessionCall> open(std::string_view name, const cli::CommandLine& line, std::size_t operands) {
    PALE_TRY(arguments, cli::parse_for(name, line, operands, operands));
    const Format format = arguments.has("--json") ? Format::Json : Format::Text;
    PALE_TRY(pale_home, service::pale_home_of({line.argv, line.envp}));
    PALE_TRY(history, history::History::open(pale_home));
    // One session that cannot be read keeps nobody from the others.
    if (const Status taken = history.ingest_all(); !taken) cli::print_error(taken.error(), format);
    return SessionCall{std::move(arguments), format, std::move(pale_home), std::move(history)};
  }
};

// As far as it can be known before the command line has been read.
Format format_of(const cli::CommandLine& line) {
  for (const std::string_view word : line.words) {
    if (word == "--json") return Format::Json;
  }
  return Format::Text;
}

template <typename Work>
int with_sessions(std::string_view name, const cli::CommandLine& line, std::size_t operands, Work work) {
  auto call = SessionCall::open(name, line, operands);
  if (!call) return cli::fail_with(call.error(), format_of(line));
  const Status done = work(*call);
  return done ? 0 : cli::fail_with(done.error(), call->format);
}

Result<history::SessionFilter> filter_of(const Arguments& arguments) {
  history::SessionFilter filter;
  if (arguments.has("-p")) filter.project = arguments.value("-p");
  if (arguments.has("--workspace")) filter.workspace = arguments.value("--workspace");
  if (arguments.has("--live")) filter.life = history::Life::Live;
  if (arguments.has("--limit")) {
    const auto limit = parse_number(arguments.value("--limit"));
    if (!limit || *limit == 0 || *limit > history::kMostSessions)
      return fail(ErrorKind::Usage, "not a number from 1 to " + std::to_string(history::kMostSessions) + ":",
                  "'" + arguments.value("--limit") + "'", "--limit 100");
    filter.limit = *limit;
  }
  return filter;
}

std::string list_json(const std::vector<history::Session>& sessions) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).key("sessions").begin_array();
  for (const history::Session& session : sessions) write_session(out, session);
  out.end_array().end_object();
  return out.text() + "\n";
}

Status list(SessionCall& call) {
  PALE_TRY(filter, filter_of(call.arguments));
  // One that is not managed has sessions, too: of its workers, of loops, of runs that were refused something.
  if (filter.project && !tenant::is_there(call.pale_home, *filter.project)) {
    const std::string local = std::string(session::kLocal) + *filter.project;
    history::SessionFilter all;
    all.project = local;
    PALE_TRY(any, call.history.sessions(all));
    if (any.empty())
      return fail(ErrorKind::NotFound, "there is no managed project, and no session of another one, called",
                  "'" + *filter.project + "'", "pale project list");
    filter.project = local;
  }
  PALE_TRY(sessions, call.history.sessions(filter));
  if (call.format == Format::Json) {
    cli::print(list_json(sessions));
  } else if (sessions.empty()) {
    const bool any = !filter.project && !filter.workspace && filter.life == history::Life::Any;
    cli::print_note(any ? "there are no sessions yet" : "there are no such sessions");
    if (any) cli::print_hint("pale session start -p ID --workspace UUID");
  } else {
    cli::print(session_lines(sessions, sys::wall_clock_seconds()));
  }
  return {};
}

Status show(SessionCall& call) {
  PALE_TRY(id, call.history.find_id(call.arguments.operands.front()));
  PALE_TRY(whole, call.history.session(id));
  if (call.format == Format::Text) {
    cli::print(session_text(whole, sys::wall_clock_seconds()));
    return {};
  }
  JsonWriter out;
  write_whole(out, whole);
  cli::print(out.text() + "\n");
  return {};
}

enum class Shape { Text, Json, Raw };

class Log {
 public:
  Log(SessionCall& call, Shape shape) : call_(call), shape_(shape) {}

  Status print(const std::string& id) {
    PALE_TRY(whole, call_.history.session(id));
    const session::Name name{whole.session.about.project, id};
    if (shape_ == Shape::Json) cli::print(heading(name));
    const bool follow = call_.arguments.has("--follow");
    history::EventFilter filter;
    if (shape_ == Shape::Raw) filter.kinds = {session::EventKind::Output};
    for (;;) {
      PALE_TRY(page, call_.history.events(id, filter));
      print_page(page);
      filter.after = page.last;
      if (page.more) continue;
      if (!follow || page.over) break;
      PALE_CHECK(sys::wait_ready({}, kPause));
      PALE_CHECK(call_.history.ingest(name));
    }
    if (shape_ == Shape::Text) cli::print(text_.finish());
    return {};
  }

 private:
  static std::string heading(const session::Name& name) {
    JsonWriter out;
    out.begin_object()
        .field("schemaVersion", 1)
        .field("session", name.session)
        .field("project", name.project)
        .end_object();
    return out.text() + "\n";
  }

  void print_page(const history::EventPage& page) {
    std::string text;
    for (const session::Event& event : page.events) {
      switch (shape_) {
        case Shape::Text: text += text_.add(event); break;
        case Shape::Json: text += to_line(event); break;
        case Shape::Raw: text += event.data; break;
      }
    }
    cli::print(text);
  }

  SessionCall& call_;
  Shape shape_;
  LogText text_;
};

Status log(SessionCall& call) {
  const bool raw = call.arguments.has("--raw");
  if (raw && call.format == Format::Json)
    return fail(ErrorKind::Usage, "--json and --raw", "exclude each other", "one of them");
  if (raw && sys::is_terminal(1))
    return fail(ErrorKind::Usage, "what commands wrote may do anything to", "a terminal",
                "pale session log " + call.arguments.operands.front() + " --raw > FILE");
  PALE_TRY(id, call.history.find_id(call.arguments.operands.front()));
  return Log(call, raw ? Shape::Raw : call.format == Format::Json ? Shape::Json : Shape::Text).print(id);
}

}  // namespace

int session_list_command(const cli::CommandLine& line) { return with_sessions("session list", line, 0, list); }
int session_show_command(const cli::CommandLine& line) { return with_sessions("session show", line, 1, show); }
int session_log_command(const cli::CommandLine& line) { return with_sessions("session log", line, 1, log); }

}  // namespace pale::keeper
