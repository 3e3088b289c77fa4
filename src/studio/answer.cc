#include "studio/answer.h"

#include <algorithm>

#include "base/text.h"
#include "base/time.h"

namespace pale::studio {
namespace {

struct Naming {
  ErrorKind kind;
  int status;
  const char* code;
};
constexpr Naming kNamings[] = {
    {ErrorKind::Usage, 400, "usage"},     {ErrorKind::NotFound, 404, "not_found"},
    {ErrorKind::Refused, 403, "refused"}, {ErrorKind::Unsupported, 501, "unsupported"},
    {ErrorKind::System, 500, "system"},   {ErrorKind::Mismatch, 500, "mismatch"},
};

const Naming& naming_of(ErrorKind kind) { return *std::ranges::find(kNamings, kind, &Naming::kind); }

std::string member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Fault::Fault(const Error& error)
    : Fault(naming_of(error.kind).status, naming_of(error.kind).code, error.sentence(), error.hint) {}

Json to_json(const Fault& fault) {
  Json error = {{"code", fault.code}, {"message", sane(fault.message)}, {"hint", sane(fault.hint)}};
  if (fault.details.is_object()) error["details"] = fault.details;
  return {{"error", std::move(error)}};
}

std::string Asked::text(const char* name) const { return member(query, name); }

std::uint64_t Asked::number(const char* name, std::uint64_t usual, std::uint64_t most) const {
  const auto number = parse_number(text(name));
  return number ? std::min<std::uint64_t>(*number, most) : usual;
}

std::string Asked::said(const char* name) const { return member(body, name); }

bool Asked::flag(const char* name) const {
  const auto found = body.find(name);
  return found != body.end() && found->is_boolean() && found->get<bool>();
}

std::vector<std::string> Asked::words(const char* name) const {
  std::vector<std::string> words;
  const auto found = body.find(name);
  if (found == body.end() || !found->is_array()) return words;
  for (const Json& word : *found) words.push_back(word.get<std::string>());
  return words;
}

std::string to_text(const Asked& asked) {
  const Json json = {{"operation", asked.operation}, {"project", asked.project}, {"id", asked.id},
                     {"user", asked.user},           {"scopes", asked.scopes},   {"csrf", asked.csrf},
                     {"query", asked.query},         {"body", asked.body}};
  return json.dump();
}

std::optional<Asked> parse_asked(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("query") || !json.contains("body")) return std::nullopt;
  Asked asked;
  asked.operation = member(json, "operation");
  asked.project = member(json, "project");
  asked.id = member(json, "id");
  asked.user = member(json, "user");
  asked.csrf = member(json, "csrf");
  for (const Json& scope : json.value("scopes", Json::array())) asked.scopes.push_back(scope.get<std::string>());
  asked.query = json["query"];
  asked.body = json["body"];
  return asked;
}

std::string iso(std::int64_t milliseconds) { return to_iso(milliseconds / 1000); }

bool is_utf8(const std::string& bytes) {
  const std::string written = Json(bytes).dump(-1, ' ', false, Json::error_handler_t::ignore);
  return Json::parse(written).get_ref<const std::string&>().size() == bytes.size();
}

std::string sane(const std::string& bytes) {
  return Json::parse(Json(bytes).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace pale::studio
