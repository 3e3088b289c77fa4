// The tool call_worker: what it asks for is done outside, by the desk, in a boundary of the worker's own.
#include "tools/code.h"
#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr Parameter kParameters[] = {
    {"worker", Kind::Text, Presence::Required, "Its name."},
    {"input", Kind::Any, Presence::Optional, "What it is called with: any JSON. It reads that on its standard input."},
    {"instructions", Kind::Text, Presence::Optional, "Beside those of its file. A locked worker takes none."},
};
constexpr std::string_view kSchema =
    R"({"type":"object","properties":{)"
    R"("answer":{"type":"string","description":"What it wrote to its standard output."},)"
    R"("exitCode":{"type":"integer"}},"required":["answer","exitCode"]})";

Result<ToDesk> call_worker(const Call& call) {
  ToDesk errand{.kind = ToDesk::Kind::Call, .worker = call.arguments.text("worker"), .input = "null"};
  if (const JsonValue* input = call.arguments.find("input")) {
    JsonWriter out;
    write_json(out, *input);
    errand.input = out.text();
  }
  errand.instructions = call.arguments.text("instructions");
  return errand;
}

Result<Answer> told(const FromDesk& said) {
  if (!said.code.empty()) {
    const std::string wrote = said.answer.empty() ? "" : "\nIt wrote:\n" + as_text(said.answer);
    return fail(with_code(said.code, {ErrorKind::Refused, 0, said.sentence, "", said.hint + wrote}));
  }
  JsonWriter data;
  const std::string answer = as_text(said.answer);
  data.begin_object().field("answer", answer).field("exitCode", said.exit_code).end_object();
  return text_answer(answer, data);
}

}  // namespace

constinit const Tool kCallWorker = {"call_worker",
                                    "Call a worker",
                                    "Has a worker of this project called, in a boundary of its own, and answers with "
                                    "what it wrote. It gets the zones that its file asks for, and no more than there "
                                    "is here.",
                                    kParameters,
                                    kSchema,
                                    {.read_only = false, .destructive = true, .idempotent = false, .open_world = true},
                                    Power::Write,
                                    nullptr,
                                    nullptr,
                                    nullptr,
                                    call_worker,
                                    told,
                                    nullptr};

}  // namespace pale::tools
