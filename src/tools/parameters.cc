#include "tools/parameters.h"

#include <algorithm>

#include "base/text.h"
#include "tools/code.h"

namespace pale::tools {
namespace {

constexpr std::string_view kEdit = R"({"type":"object","properties":{)"
                                   R"("oldText":{"type":"string","description":"Stands in the file exactly once."},)"
                                   R"("newText":{"type":"string","description":"What is to stand there instead."}},)"
                                   R"("required":["oldText","newText"],"additionalProperties":false})";

void write_type(JsonWriter& out, Kind kind) {
  switch (kind) {
    case Kind::Text:
    case Kind::Path: out.field("type", "string"); break;
    case Kind::Number: out.field("type", "integer").field("minimum", 0); break;
    case Kind::Flag: out.field("type", "boolean"); break;
    case Kind::Texts: out.field("type", "array").key("items").json(R"({"type":"string"})").field("minItems", 1); break;
    case Kind::Edits: out.field("type", "array").key("items").json(kEdit).field("minItems", 1); break;
    case Kind::Command:
      out.key("anyOf").json(
          R"([{"type":"string","minLength":1},{"type":"array","items":{"type":"string"},"minItems":1}])");
      break;
    case Kind::Any: break;
  }
}

// The kernel ends a text at a NUL; what stands behind it would be lost.
bool is_for_kernel(const JsonValue& value) {
  const auto bytes = value.bytes();
  return bytes && bytes->find('\0') == std::string::npos;
}

bool is_path(const JsonValue& value) { return is_for_kernel(value) && !value.bytes().value_or("").empty(); }

bool are_texts(const JsonValue& value) {
  return value.is_array() && !value.items().empty() && std::ranges::all_of(value.items(), is_for_kernel) &&
         is_path(value.items().front());
}

bool is_edit(const JsonValue& value) {
  const JsonValue* before = value.find("oldText");
  const JsonValue* after = value.find("newText");
  return value.members().size() == 2 && before != nullptr && before->text() != nullptr && after != nullptr &&
         after->text() != nullptr;
}

bool fits(const JsonValue& value, Kind kind) {
  switch (kind) {
    case Kind::Text: return value.text() != nullptr;
    case Kind::Path: return is_path(value);
    case Kind::Number: return value.whole_number().has_value();
    case Kind::Flag: return value.boolean().has_value();
    case Kind::Texts: return are_texts(value);
    case Kind::Edits: return value.is_array() && !value.items().empty() && std::ranges::all_of(value.items(), is_edit);
    case Kind::Command: return are_texts(value) || (value.text() != nullptr && is_path(value));
    case Kind::Any: return true;
  }
  return false;
}

std::string_view wanted(Kind kind) {
  switch (kind) {
    case Kind::Text: return "must be a text";
    case Kind::Path: return "must be a text that is not empty and has no NUL in it";
    case Kind::Number: return "must be a whole number that is not negative";
    case Kind::Flag: return "must be true or false";
    case Kind::Texts: return "must be a list of texts, with at least one in it";
    case Kind::Edits: return "must be a list of {\"oldText\": \"…\", \"newText\": \"…\"}, with at least one in it";
    case Kind::Command: return "must be a list of texts (a program and its arguments), or one text, for a shell";
    case Kind::Any: return "can be any JSON";
  }
  return {};
}

std::string without_end(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::unexpected<Error> unknown(std::string_view name, std::span<const Parameter> parameters) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  const auto close = nearest(name, names);
  return fail(ErrorKind::Usage, "there is no argument", "\"" + std::string(name) + "\"",
              close ? "did you mean \"" + std::string(*close) + "\"?" : "");
}

}  // namespace

void write_schema(JsonWriter& out, std::span<const Parameter> parameters) {
  out.begin_object().field("type", "object").key("properties").begin_object();
  for (const Parameter& parameter : parameters) {
    out.key(parameter.name).begin_object();
    write_type(out, parameter.kind);
    out.field("description", parameter.description).end_object();
  }
  out.end_object().key("required").begin_array();
  for (const Parameter& parameter : parameters) {
    if (parameter.presence == Presence::Required) out.value(parameter.name);
  }
  out.end_array().field("additionalProperties", false).end_object();
}

Result<Arguments> Arguments::check(const JsonValue& object, std::span<const Parameter> parameters) {
  if (!object.is_object() && !object.is_null()) return fail(ErrorKind::Usage, "arguments:", "must be an object");
  const Arguments arguments(object);
  for (const auto& [name, value] : object.members()) {
    if (std::ranges::find(parameters, name, &Parameter::name) == parameters.end()) return unknown(name, parameters);
  }
  for (const Parameter& parameter : parameters) {
    const JsonValue* value = arguments.find(parameter.name);
    const std::string place = std::string(parameter.name) + ":";
    if (value == nullptr && parameter.presence == Presence::Required)
      return fail(ErrorKind::Usage, place, "is missing; it " + std::string(wanted(parameter.kind)));
    if (value == nullptr || fits(*value, parameter.kind)) continue;
    const std::string_view code = parameter.kind == Kind::Path ? kInvalidPath : std::string_view();
    return fail(with_code(code, {ErrorKind::Usage, 0, place, std::string(wanted(parameter.kind)), ""}));
  }
  return arguments;
}

const JsonValue* Arguments::find(std::string_view name) const {
  const JsonValue* value = object_->find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string Arguments::text(std::string_view name) const {
  const JsonValue* value = find(name);
  return value == nullptr ? std::string() : value->bytes().value_or("");
}

std::string Arguments::path(std::string_view name) const { return without_end(text(name)); }

std::optional<std::uint64_t> Arguments::number(std::string_view name) const {
  const JsonValue* value = find(name);
  return value == nullptr ? std::nullopt : value->whole_number();
}

bool Arguments::flag(std::string_view name) const {
  const JsonValue* value = find(name);
  return value != nullptr && value->boolean().value_or(false);
}

std::vector<std::string> Arguments::texts(std::string_view name) const {
  std::vector<std::string> texts;
  const JsonValue* value = find(name);
  if (value == nullptr) return texts;
  for (const JsonValue& item : value->items()) texts.push_back(item.bytes().value_or(""));
  return texts;
}

std::vector<std::string> Arguments::paths(std::string_view name) const {
  std::vector<std::string> paths = texts(name);
  for (std::string& path : paths) path = without_end(std::move(path));
  return paths;
}

}  // namespace pale::tools
