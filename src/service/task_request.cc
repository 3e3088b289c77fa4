#include "service/task_request.h"

#include <array>
#include <utility>

#include "base/json.h"
#include "base/json_value.h"

namespace pale::service {
namespace {

constexpr std::size_t kDeepest = 3;

using Text = std::string TaskRequest::*;
constexpr std::array<std::pair<std::string_view, Text>, 5> kTexts = {{{"project", &TaskRequest::project},
                                                                      {"task", &TaskRequest::task},
                                                                      {"agent", &TaskRequest::agent},
                                                                      {"mode", &TaskRequest::mode},
                                                                      {"title", &TaskRequest::title}}};
using Words = std::vector<std::string> TaskRequest::*;
constexpr std::array<std::pair<std::string_view, Words>, 2> kLists = {
    {{"command", &TaskRequest::command}, {"folders", &TaskRequest::folders}}};

}  // namespace

std::string to_json(const TaskRequest& request) {
  JsonWriter out;
  out.begin_object();
  for (const auto& [key, text] : kTexts) out.field(key, request.*text);
  for (const auto& [key, words] : kLists) {
    out.key(key).begin_array();
    for (const std::string& word : request.*words) out.value(word);
    out.end_array();
  }
  out.field("staged", request.staged).end_object();
  return out.text();
}

Result<TaskRequest> parse_task_request(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  TaskRequest request;
  for (const auto& [key, into] : kTexts) {
    const JsonValue* member = json.find(key);
    if (member == nullptr || member->text() == nullptr)
      return fail(ErrorKind::Usage, "this describes no task: it lacks", std::string(key));
    request.*into = *member->text();
  }
  for (const auto& [key, into] : kLists) {
    const JsonValue* member = json.find(key);
    if (member == nullptr) return fail(ErrorKind::Usage, "this describes no task: it lacks", std::string(key));
    for (const JsonValue& word : member->items()) (request.*into).push_back(word.text() != nullptr ? *word.text() : "");
  }
  const JsonValue* staged = json.find("staged");
  request.staged = staged != nullptr && staged->boolean().value_or(false);
  return request;
}

}  // namespace pale::service
