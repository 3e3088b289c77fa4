// The tool run_command.
#include <fcntl.h>

#include "base/text.h"
#include "tools/refusal.h"
#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr std::uint64_t kUsualSeconds = 600, kMostSeconds = 24UL * 3600;
constexpr std::size_t kUsualOutput = 64UL << 10U, kMostOutput = 1UL << 20U;

constexpr Parameter kParameters[] = {
    {"command", Kind::Command, Presence::Required, "A program and its arguments; or one text, for a shell."},
    {"directory", Kind::Path, Presence::Optional, "Where it starts; usually the workspace."},
    {"timeoutSeconds", Kind::Number, Presence::Optional, "Then it is ended, with all it started; usually 600."},
    {"maxOutput", Kind::Number, Presence::Optional,
     "Most bytes of output in the answer; usually 65536. What is more is kept in a file."},
};
constexpr std::string_view kSchema =
    R"({"type":"object","properties":{)"
    R"("exitCode":{"type":"integer","description":"As a shell has it; 128 and more: ended by a signal."},)"
    R"("output":{"type":"string","description":"What it wrote, errors too, in their order."},)"
    R"("truncated":{"type":"boolean","description":"Whether something of that is left out."},)"
    R"("outputBytes":{"type":"integer","description":"How much it wrote."},)"
    R"("outputFile":{"type":"string","description":"Where all of it is, if some is left out, up to 256 MiB; for read_file."},)"
    R"("timedOut":{"type":"boolean"},"durationMs":{"type":"integer"},)"
    R"("blocked":{"type":"array","description":"What was refused meanwhile, since it lies outside the workspace's folders.",)"
    R"("items":{"type":"object","properties":{"operation":{"type":"string"},"file":{"type":"string"}},)"
    R"("required":["operation","file"]}}},)"
    R"("required":["exitCode","output","truncated","outputBytes","timedOut","durationMs"]})";

std::string directory_of(const Call& call) {
  return call.arguments.has("directory") ? call.arguments.path("directory") : ".";
}

Change change_by_running_in(const Call& call, const Path& place) {
  const std::vector<std::string> words = call.arguments.texts("command");
  std::string line = words.empty() ? call.arguments.text("command") : std::string();
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  const std::string shown = printable(line);
  constexpr std::size_t kShort = 200;
  return {{{Deed::Run, place}},
          "run " + (shown.size() > kShort ? shown.substr(0, kShort) + "…" : shown),
          (words.empty() ? "a shell in " : "a program in ") + printable(place.text()) + ":\n" + line + "\n"};
}

Result<Change> change_by_running(const Call& call) {
  return change_by_running_in(call, where_it_leads(call.place, directory_of(call)));
}

// The directory is the one that was shown, whatever its name leads to by now.
Result<Job> run_command(const Call& call) {
  const std::string directory = directory_of(call);
  const auto start = sys::open_at(call.root(), directory.c_str(), O_PATH | O_DIRECTORY);
  if (!start) return refuse(call, Operation::Execute, directory, start.error());
  PALE_TRY(text, sys::path_of(*start));
  PALE_TRY(place, Path::parse(text));
  PALE_CHECK(check_allowed(call, change_by_running_in(call, place)));
  JobRequest request{.command = call.arguments.texts("command"),
                     .directory = *start,
                     .envp = call.place.envp,
                     .seconds = call.arguments.number("timeoutSeconds").value_or(kUsualSeconds),
                     .aside = std::string(call.place.variable("TMPDIR")),
                     .most_output = call.arguments.number("maxOutput").value_or(kUsualOutput)};
  request.blocked = call.place.blocked;
  if (request.command.empty()) request.command = {"/bin/sh", "-c", call.arguments.text("command")};
  if (request.aside.empty()) request.aside = "/tmp";
  if (request.seconds == 0 || request.seconds > kMostSeconds)
    return fail(ErrorKind::Usage, "timeoutSeconds:", "must be between 1 and " + std::to_string(kMostSeconds));
  if (request.most_output > kMostOutput)
    return fail(ErrorKind::Usage, "maxOutput:", "must be at most " + std::to_string(kMostOutput));
  return Job::start(request);
}

Result<Answer> finish(Job& job, const JobEnd& end) {
  if (end.exec_error != 0)
    return fail(Error{ErrorKind::System, end.exec_error, "the command cannot be started:", job.program(), ""});
  const Output& output = job.written();
  const std::string shown = as_text(output.shown());
  JsonWriter data;
  data.begin_object().field("exitCode", end.exit_code).field("output", shown).field("truncated", output.is_cut());
  data.field("outputBytes", output.size());
  if (!output.file().empty()) data.field("outputFile", output.file());
  data.field("timedOut", end.timed_out).field("durationMs", end.milliseconds);
  if (const Blocked::Since refused = job.refused(); !refused.first.empty()) {
    data.key("blocked").begin_array();
    for (const Tried& each : refused.first)
      data.begin_object().field("operation", each.operation).field("file", as_text(each.path)).end_object();
    data.end_array();
  }
  data.end_object();
  std::string text = shown;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += job.refused_text();
  text += end.timed_out ? "[The time limit was reached, and it was ended.]"
                        : "[exit code " + std::to_string(end.exit_code) + "]";
  return text_answer(text, data);
}

}  // namespace

constinit const Tool kRunCommand = {"run_command",
                                    "Run a command",
                                    "Runs a program inside the boundary, waits for its end and answers with its exit "
                                    "code and what it wrote. Cancelling the "
                                    "call ends it and what it started.",
                                    kParameters,
                                    kSchema,
                                    {.read_only = false, .destructive = true, .idempotent = false},
                                    Power::Run,
                                    nullptr,
                                    run_command,
                                    finish,
                                    nullptr,
                                    nullptr,
                                    change_by_running};

}  // namespace pale::tools
