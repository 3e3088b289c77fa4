// Tools that ask their client for something.
#include "mcp/fixtures.h"
#include "mcp/message.h"

namespace pale::mcp {
namespace {

using Async = boost::asio::awaitable<ToolResult>;

Json form(const char* field, const char* type = "string") {
  Json schema{{"type", "object"}, {"properties", Json::object()}, {"required", Json::array({field})}};
  schema["properties"][field] = Json{{"type", type}};
  return schema;
}

Json elicitation(const char* message, Json schema) {
  return Json{{"method", "elicitation/create"},
              {"params", {{"message", message}, {"requestedSchema", std::move(schema)}}}};
}

Json sampling(const std::string& prompt) {
  const Json content{{"type", "text"}, {"text", prompt}};
  const Json message{{"role", "user"}, {"content", content}};
  return Json{{"method", "sampling/createMessage"},
              {"params", {{"messages", Json::array({message})}, {"maxTokens", 100}}}};
}

Json roots() { return Json{{"method", "roots/list"}, {"params", Json::object()}}; }

ToolResult told(const char* begin, const Elicited& answer) {
  const char* action = answer.answer == Answer::Accept    ? "accept"
                       : answer.answer == Answer::Decline ? "decline"
                                                          : "cancel";
  return ToolResult::text(std::string(begin) + ": action=" + action + ", content=" + print(answer.content));
}

void add(Server& server, const char* name, const char* description, Json schema, std::function<Async(Call&)> handler) {
  server.add(
      Tool{.name = name, .description = description, .input_schema = std::move(schema), .handler = std::move(handler)});
}

// Asks for all at once, and says what was answered.
void add_questions(Server& server, const char* name, Json questions) {
  add(server, name, "Asks its client.", object_schema({}), [questions = std::move(questions)](Call& call) -> Async {
    Json answers = co_await call.ask(questions);
    co_return ToolResult::text("state-ok " + print(answers));
  });
}

Json defaults_form() {
  return Json::parse(R"({"type": "object", "properties": {
    "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": true}}})");
}

Json choices_form() {
  return Json::parse(R"({"type": "object", "properties": {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": [{"const": "value1", "title": "First Option"},
      {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}]},
    "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
      "enumNames": ["Option One", "Option Two", "Option Three"]},
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {"type": "array", "items": {"anyOf": [{"const": "value1", "title": "First Choice"},
      {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}]}}}})");
}

Async ask_user(Call& call) {
  Json schema = form("username");
  schema["properties"]["email"] = Json{{"type", "string"}};
  schema["required"].push_back("email");
  const Elicited answer = co_await call.elicit("user", call.text("message"), schema);
  co_return told("User response", answer);
}

Async ask_model(Call& call) {
  Json questions;
  questions["prompt"] = sampling(call.text("prompt"));
  Json answers = co_await call.ask(std::move(questions));
  co_return ToolResult::text("LLM response: " + answers["prompt"]["content"].value("text", std::string()));
}

Async ask_twice(Call& call) {
  const Elicited name = co_await call.elicit("step1", "Step 1: What is your name?", form("name"));
  const Elicited color = co_await call.elicit("step2", "Step 2: What is your favorite color?", form("color"));
  co_return ToolResult::text(print(name.content) + print(color.content));
}

Async ask_what_it_can(Call& call) {
  Json questions = Json::object();
  if (call.may_ask("elicitation/create")) questions["user_name"] = elicitation("What is your name?", form("name"));
  if (call.may_ask("sampling/createMessage")) questions["greeting"] = sampling("Say hello.");
  Json answers = co_await call.ask(std::move(questions));
  co_return ToolResult::text(print(answers));
}

void add_older(Server& server) {
  add(server, "test_elicitation", "Asks the user for a name.",
      object_schema({{"message", text_schema("What the user is asked.")}}, {"message"}), ask_user);
  add(server, "test_sampling", "Asks the client's model.",
      object_schema({{"prompt", text_schema("What the model is asked.")}}, {"prompt"}), ask_model);
  add(server, "test_elicitation_sep1034_defaults", "Asks by a form with defaults.", object_schema({}),
      [](Call& call) -> Async {
        const Elicited answer = co_await call.elicit("form", "Please review the defaults.", defaults_form());
        co_return told("Elicitation completed", answer);
      });
  add(server, "test_elicitation_sep1330_enums", "Asks by a form with choices.", object_schema({}),
      [](Call& call) -> Async {
        const Elicited answer = co_await call.elicit("form", "Please choose.", choices_form());
        co_return told("Elicitation completed", answer);
      });
}

}  // namespace

void add_asking_fixtures(Server& server) {
  add_older(server);
  add(server, "test_input_required_result_elicitation", "Asks for a name.", object_schema({}), [](Call& call) -> Async {
    const Elicited answer = co_await call.elicit("user_name", "What is your name?", form("name"));
    co_return ToolResult::text("Hello, " + answer.content.value("name", std::string("whoever you are")) + "!");
  });
  add_questions(server, "test_input_required_result_sampling",
                Json{{"capital_question", sampling("What is the capital of France?")}});
  add_questions(server, "test_input_required_result_list_roots", Json{{"client_roots", roots()}});
  add_questions(server, "test_input_required_result_request_state",
                Json{{"confirm", elicitation("Please confirm", form("ok", "boolean"))}});
  add_questions(server, "test_input_required_result_tampered_state",
                Json{{"confirm", elicitation("Please confirm", form("ok", "boolean"))}});
  add_questions(server, "test_input_required_result_multiple_inputs",
                Json{{"user_name", elicitation("What is your name?", form("name"))},
                     {"greeting", sampling("Generate a greeting")},
                     {"client_roots", roots()}});
  add_questions(server, "test_streaming_elicitation",
                Json{{"confirm", elicitation("Please confirm", form("ok", "boolean"))}});
  add_questions(server, "test_missing_capability", Json{{"question", sampling("Anything")}});
  add(server, "test_input_required_result_multi_round", "Asks twice.", object_schema({}), ask_twice);
  add(server, "test_input_required_result_capabilities", "Asks for what its client can answer.", object_schema({}),
      ask_what_it_can);
}

}  // namespace pale::mcp
