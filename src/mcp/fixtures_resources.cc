// Resources and prompts: Pale offers none, the suites want some.
#include "mcp/fixtures.h"

namespace pale::mcp {
namespace {

using Async = boost::asio::awaitable<Json>;

constexpr std::string_view kTemplateBegin = "test://template/";
constexpr std::string_view kTemplateEnd = "/data";

Json resource(const char* uri, const char* name, const char* type) {
  return Json{{"uri", uri}, {"name", name}, {"description", "For tests."}, {"mimeType", type}};
}

Json contents(const std::string& uri, const char* type, const char* field, const std::string& value) {
  Json content{{"uri", uri}, {"mimeType", type}};
  content[field] = value;
  return Json{{"contents", Json::array({std::move(content)})}};
}

Json read_resource(const std::string& uri) {
  if (uri == "test://static-text") {
    return contents(uri, "text/plain", "text", "This is the content of the static text resource.");
  }
  if (uri == "test://static-binary") return contents(uri, "image/png", "blob", kPicture);
  if (uri == "test://watched-resource") return contents(uri, "text/plain", "text", "It never changes.");
  if (uri.starts_with(kTemplateBegin) && uri.ends_with(kTemplateEnd)) {
    const std::string id = uri.substr(kTemplateBegin.size(), uri.size() - kTemplateBegin.size() - kTemplateEnd.size());
    const Json data{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}};
    return contents(uri, "application/json", "text", print(data));
  }
  throw Fault{kInvalidParams, "there is no such resource", Json{{"uri", uri}}};
}

std::string text_param(const Call& call, const char* name) {
  const Json value = call.params().value(name, Json());
  if (!value.is_string()) throw Fault{kInvalidParams, std::string(name) + ": is missing, a text"};
  return value.get<std::string>();
}

Json prompt(const char* name, Json arguments = Json::array()) {
  return Json{{"name", name}, {"description", "For tests."}, {"arguments", std::move(arguments)}};
}

Json required(const char* name) { return Json{{"name", name}, {"description", "For tests."}, {"required", true}}; }

Json says(Json content) { return Json{{"role", "user"}, {"content", std::move(content)}}; }
Json says_text(const std::string& text) { return says(Json{{"type", "text"}, {"text", text}}); }

Async get_prompt(Call& call) {
  const std::string name = text_param(call, "name");
  const Json arguments = call.params().value("arguments", Json::object());
  const auto argument = [&](const char* key) { return arguments.value(key, std::string()); };
  Json messages = Json::array();
  if (name == "test_simple_prompt") {
    messages.push_back(says_text("This is a simple prompt for testing."));
  } else if (name == "test_prompt_with_arguments") {
    messages.push_back(
        says_text("Prompt with arguments: arg1='" + argument("arg1") + "', arg2='" + argument("arg2") + "'"));
  } else if (name == "test_prompt_with_embedded_resource") {
    const Json embedded{{"uri", argument("resourceUri")},
                        {"mimeType", "text/plain"},
                        {"text", "Embedded resource content for testing."}};
    messages.push_back(says(Json{{"type", "resource"}, {"resource", embedded}}));
    messages.push_back(says_text("Please process the embedded resource above."));
  } else if (name == "test_prompt_with_image") {
    messages.push_back(says(Json{{"type", "image"}, {"data", kPicture}, {"mimeType", "image/png"}}));
    messages.push_back(says_text("Please analyze the image above."));
  } else if (name == "test_input_required_result_prompt") {
    const Json schema =
        Json::parse(R"({"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]})");
    const Elicited answer = co_await call.elicit("user_context", "What context should the prompt use?", schema);
    messages.push_back(says_text("Use this context: " + answer.content.value("context", std::string("none"))));
  } else {
    throw Fault{kInvalidParams, "there is no prompt \"" + name + "\""};
  }
  co_return Json{{"messages", std::move(messages)}};
}

void add(Server& server, const char* name, Eras eras, Caching caching, std::function<Async(Call&)> answer) {
  server.add(Method{name, eras, caching, std::move(answer)});
}

}  // namespace

void add_resource_fixtures(Server& server) {
  add(server, "resources/list", Eras::Both, Caching::Private, [](Call&) -> Async {
    Json resources = Json::array();
    resources.push_back(resource("test://static-text", "Static text", "text/plain"));
    resources.push_back(resource("test://static-binary", "Static picture", "image/png"));
    resources.push_back(resource("test://watched-resource", "Watched text", "text/plain"));
    co_return Json{{"resources", std::move(resources)}};
  });
  add(server, "resources/templates/list", Eras::Both, Caching::Private, [](Call&) -> Async {
    const Json only{{"uriTemplate", "test://template/{id}/data"},
                    {"name", "Template"},
                    {"description", "For tests."},
                    {"mimeType", "application/json"}};
    co_return Json{{"resourceTemplates", Json::array({only})}};
  });
  add(server, "resources/read", Eras::Both, Caching::Private,
      [](Call& call) -> Async { co_return read_resource(text_param(call, "uri")); });
  for (const char* name : {"resources/subscribe", "resources/unsubscribe"}) {
    add(server, name, Eras::Older, Caching::None, [](Call& call) -> Async {
      (void)text_param(call, "uri");
      co_return Json::object();
    });
  }
}

void add_prompt_fixtures(Server& server) {
  add(server, "prompts/list", Eras::Both, Caching::Private, [](Call&) -> Async {
    Json prompts = Json::array();
    prompts.push_back(prompt("test_simple_prompt"));
    prompts.push_back(prompt("test_prompt_with_arguments", Json::array({required("arg1"), required("arg2")})));
    prompts.push_back(prompt("test_prompt_with_embedded_resource", Json::array({required("resourceUri")})));
    prompts.push_back(prompt("test_prompt_with_image"));
    prompts.push_back(prompt("test_input_required_result_prompt"));
    co_return Json{{"prompts", std::move(prompts)}};
  });
  add(server, "prompts/get", Eras::Both, Caching::None, get_prompt);
  add(server, "completion/complete", Eras::Both, Caching::None, [](Call&) -> Async {
    co_return Json{{"completion", {{"values", Json::array({"test", "testing"})}, {"total", 2}, {"hasMore", false}}}};
  });
}

}  // namespace pale::mcp
