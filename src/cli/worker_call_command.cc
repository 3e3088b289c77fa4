#include <array>

#include "base/json_value.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/worker_options.h"
#include "service/call_worker.h"

namespace pale::cli {
namespace {

constexpr std::size_t kDeepestInput = 64;

constexpr Option kCall[] = {
    {"--input", "JSON|-", "what it is called with: JSON, or - for standard input"},
    {"--instructions", "TEXT", "beside those of its file; a locked worker takes none"},
    {"--yes", "", "allow what zones ask about"},
    kWorkerChecked[0],
    kWorkerChecked[1],
    kWorkerChecked[2],
    kWorkerChecked[3],
    kWorkerChecked[4],
    kWorkerChecked[5],
    {"--json", "", "print its answer, its exit code and what was refused, as JSON"},
};

std::string all_input() {
  std::string text;
  std::array<char, 65536> buffer;
  for (std::size_t got = 0; text.size() <= worker::kMostInput && (got = read_input(buffer)) != 0;)
    text.append(buffer.data(), got);
  return text;
}

Result<std::string> input_of(const Arguments& arguments) {
  if (!arguments.has("--input")) return "null";
  std::string text = arguments.value("--input");
  if (text == "-") text = all_input();
  if (text.size() > worker::kMostInput)
    return fail(ErrorKind::Usage, "the input is too long, in bytes more than", std::to_string(worker::kMostInput),
                "put it into a zone, and name the file");
  const auto value = JsonValue::parse(text, kDeepestInput);
  if (!value)
    return fail(ErrorKind::Usage, "--input is not JSON:", value.error().subject, R"(--input '{"name": "value"}')");
  JsonWriter out;
  write_json(out, *value);
  return out.text();
}

// Inside a worker's sandbox the broker outside knows the project and its rules, and takes none from there.
Status check_inside(const Arguments& arguments) {
  if (!service::has_broker()) return {};
  for (const std::string_view option :
       {"-p", "--project-root", "--sandbox-mode", "--sandbox-root", "--approval", "--max-depth", "--yes"}) {
    if (arguments.has(option))
      return fail(ErrorKind::Usage, "inside a worker this is not said by who calls:", std::string(option),
                  "pale worker call NAME --input JSON");
  }
  if (arguments.operands.empty())
    return fail(ErrorKind::Usage, "which worker?", "", "pale worker call NAME --input JSON");
  return {};
}

Result<service::WorkerCallRequest> call_of(const Arguments& arguments) {
  PALE_CHECK(check_inside(arguments));
  service::WorkerCallRequest request;
  request.project = {arguments.value("--project-root"), arguments.value("-p")};
  PALE_TRY(overrides, overrides_of(arguments));
  PALE_TRY(input, input_of(arguments));
  request.overrides = std::move(overrides);
  request.input = std::move(input);
  request.instructions = arguments.value("--instructions");
  if (!arguments.operands.empty()) request.worker = arguments.operands.front();
  request.notice = [](const session::Question& question) {
    print_note("worker waits for leave; from another terminal: pale approve " + question.id);
  };
  if (arguments.has("--yes")) request.overrides.approval = project::ApprovalMode::Auto;
  if (arguments.has("--json") || service::has_broker()) request.answer = service::WorkerCallRequest::Answer::Whole;
  return request;
}

int report(const service::WorkerCallOutcome& outcome, Format format) {
  const worker::CallAnswer& answer = outcome.answer;
  if (format == Format::Json) {
    print(to_line(answer));
    return answer.exit_code;
  }
  print(answer.answer);
  if (!answer.refusal) return answer.exit_code;
  print_note(std::string(to_text(answer.refusal->code)) + ": " + answer.refusal->sentence);
  if (!answer.refusal->hint.empty()) print_hint(answer.refusal->hint);
  return answer.exit_code;
}

}  // namespace

int worker_call_command(const CommandLine& line) {
  const auto arguments = parse_for("worker call", line, 0, 1);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const Format format = arguments->has("--json") ? Format::Json : Format::Text;
  const auto request = call_of(*arguments);
  if (!request) return fail_with(request.error(), format);
  const auto outcome = service::call_worker(*request, {line.argv, line.envp});
  return outcome ? report(*outcome, format) : fail_with(outcome.error(), format);
}

std::span<const Option> worker_call_options() { return kCall; }

}  // namespace pale::cli
