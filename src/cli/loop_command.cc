#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/loop_screen.h"
#include "cli/loop_table.h"
#include "cli/request.h"
#include "service/run_times.h"

namespace pale::cli {
namespace {

constexpr int kSomeFailed = 1;
constexpr int kInterrupted = 130;

constexpr Option kLoopOnly[] = {
    {"--agent", "NAME", "which agent (pale agent list)"},
    {"--parallel", "N", "stories at a time, each in a stage of its own"},
    {"--max-iterations", "N", "most runs of the agent"},
    {"--tries", "N", "most runs of one story (3)"},
    {"--allow-exec", "", "with --parallel: apply also what something on the host would execute"},
    {"-v", "", "say how long things took, and where the logs are"},
};

// A loop has stages of its own, and its stories say what their files are.
constexpr bool is_taken(const Option& option) {
  return option.name != "--stage" && option.name != "--on" && option.name != "--file-scope";
}

constexpr auto kLoopOptions = [] {
  std::array<Option, std::size(kLoopOnly) + static_cast<std::size_t>(std::ranges::count_if(kBoundaryOptions, is_taken))>
      options = {};
  std::ranges::copy_if(kBoundaryOptions, std::ranges::copy(kLoopOnly, options.begin()).out, is_taken);
  return options;
}();

Result<std::optional<std::uint64_t>> number_of(const Arguments& arguments, std::string_view option) {
  if (!arguments.has(option)) return std::nullopt;
  const std::string text = arguments.value(option);
  const auto number = parse_number(text);
  if (!number || *number == 0)
    return fail(ErrorKind::Usage, "not a value for " + std::string(option) + ":", text, std::string(option) + " 4");
  return number;
}

Result<service::LoopRequest> loop_request(const Arguments& arguments) {
  PALE_TRY(request, request_of(arguments));
  service::LoopRequest wanted;
  if (!arguments.operands.empty()) wanted.prd = arguments.operands.front();
  wanted.agent = {arguments.value("--agent"), {}, std::move(request)};
  PALE_TRY(parallel, number_of(arguments, "--parallel"));
  PALE_TRY(runs, number_of(arguments, "--max-iterations"));
  PALE_TRY(tries, number_of(arguments, "--tries"));
  wanted.parallel = parallel;
  wanted.runs = runs;
  if (tries) wanted.tries = *tries;
  wanted.allow_exec = arguments.has("--allow-exec");
  return wanted;
}

std::size_t count(const service::LoopEnd& end, loop::State state) {
  return static_cast<std::size_t>(std::ranges::count(end.stories, state, &service::StoryView::state));
}

std::string summary(const service::LoopEnd& end) {
  std::string text;
  for (const service::StoryView& story : end.stories) {
    text += padded(printable(story.id), 12) + padded(std::string(word_for(story.state)), 10) + printable(story.title);
    if (!story.why.empty()) text += ": " + printable(story.why);
    text += "\n";
  }
  text += std::to_string(count(end, loop::State::Passed)) + " of " + std::to_string(end.stories.size()) + " pass";
  constexpr std::pair<loop::State, std::string_view> kOthers[] = {
      {loop::State::Failed, " failed"}, {loop::State::Blocked, " blocked"}, {loop::State::Waiting, " waiting"}};
  for (const auto& [state, word] : kOthers) {
    if (const std::size_t many = count(end, state); many > 0) text += ", " + std::to_string(many) + std::string(word);
  }
  return text + "\n";
}

std::string figures(const service::LoopEnd& end) {
  const service::LoopFigures& took = end.figures;
  return "runs of the agent: " + std::to_string(end.runs) +
         "\nstories read and checked: " + std::to_string(took.read_us / 1000) + "." +
         std::to_string(took.read_us / 100 % 10) + " ms\n" +
         service::in_words({0, 0, took.validation_us, took.start_us, took.watch_us, 0}) +
         "\nagent: " + duration_text(took.agent_ms) + "\nverify: " + duration_text(took.verify_ms) +
         "\nvalidate: " + duration_text(took.validate_ms) + "\napply: " + duration_text(took.apply_ms) +
         "\nin all: " + duration_text(took.whole_ms) + "\nlog: " + end.log + "\nsession: " + end.session + "\n";
}

std::string to_json(const service::LoopEnd& end) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("stopped", end.stopped).field("runs", end.runs);
  out.key("stories").begin_array();
  for (const service::StoryView& story : end.stories) {
    out.begin_object().field("id", story.id).field("title", story.title).field("state", word_for(story.state));
    out.field("tries", story.tries).field("milliseconds", story.milliseconds).field("why", story.why).end_object();
  }
  out.end_array().key("figures").begin_object();
  out.field("readMicroseconds", end.figures.read_us).field("agentMilliseconds", end.figures.agent_ms);
  out.field("validationMicroseconds", end.figures.validation_us).field("startMicroseconds", end.figures.start_us);
  out.field("watchMicroseconds", end.figures.watch_us);
  out.field("verifyMilliseconds", end.figures.verify_ms).field("validateMilliseconds", end.figures.validate_ms);
  out.field("applyMilliseconds", end.figures.apply_ms).field("wholeMilliseconds", end.figures.whole_ms).end_object();
  out.field("log", end.log).field("session", end.session).end_object();
  return out.text() + "\n";
}

}  // namespace

std::span<const Option> loop_options() { return kLoopOptions; }

int loop_command(const CommandLine& line) {
  const auto arguments = parse_for("loop", line, 0, 1);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const Format format = arguments->has("--json") ? Format::Json : Format::Text;
  const auto request = loop_request(*arguments);
  if (!request) return fail_with(request.error(), format);
  const service::Caller caller{line.argv, line.envp};
  auto screen = make_loop_screen(caller);
  const auto end = service::run_loop(*request, caller, *screen);
  screen.reset();
  if (!end) return fail_with(end.error(), format);
  print(format == Format::Json ? to_json(*end) : summary(*end) + (arguments->has("-v") ? figures(*end) : ""));
  if (end->exhausted && count(*end, loop::State::Waiting) > 0)
    print_note("no more runs were allowed (--max-iterations); pale loop goes on from here");
  if (end->stopped) {
    print_note("stopped; pale loop goes on from here");
    return kInterrupted;
  }
  return count(*end, loop::State::Passed) == end->stories.size() ? 0 : kSomeFailed;
}

}  // namespace pale::cli
