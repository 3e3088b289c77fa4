#include "mcp/schema.h"

#include <cmath>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "mcp/message.h"

namespace pale::mcp {
namespace {

using Complaint = std::optional<std::string>;

std::string at(const std::string& place, std::string_view name) {
  return place.empty() ? printable(name) : place + "." + printable(name);
}

std::string said(const std::string& place, const std::string& what) {
  return (place.empty() ? std::string("arguments") : place) + ": " + what;
}

std::string_view kind_of(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "a text";
  if (value.is_boolean()) return "true or false";
  if (value.is_null()) return "null";
  return value.is_number_integer() ? "a whole number" : "a number";
}

std::string_view name_of(std::string_view type) {
  if (type == "object") return "an object";
  if (type == "array") return "a list";
  if (type == "string") return "a text";
  if (type == "boolean") return "true or false";
  if (type == "integer") return "a whole number";
  return type == "number" ? "a number" : type;
}

bool is_whole(const Json& value) {
  if (value.is_number_integer()) return true;
  // Beyond that a double has no units.
  return value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>() &&
         std::abs(value.get<double>()) <= 9007199254740992.0;
}

bool is_of(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return is_whole(value);
  return type == "number" && value.is_number();
}

Complaint check_type(const Json& schema, Json& value, const std::string& place) {
  if (!schema.contains("type")) return std::nullopt;
  const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
  std::string expected;
  for (const Json& type : types) {
    const auto& name = type.get_ref<const std::string&>();
    if (is_of(value, name)) {
      if (name == "integer" && value.is_number_float()) value = static_cast<std::int64_t>(value.get<double>());
      return std::nullopt;
    }
    expected += (expected.empty() ? "" : " or ") + std::string(name_of(name));
  }
  return said(place, "must be " + expected + ", not " + std::string(kind_of(value)));
}

std::string choices(const Json& values) {
  std::string text;
  for (const Json& value : values) text += (text.empty() ? "" : ", ") + print(value);
  return text;
}

Complaint check_choice(const Json& schema, const Json& value, const std::string& place) {
  if (schema.contains("const") && value != schema["const"]) return said(place, "must be " + print(schema["const"]));
  if (!schema.contains("enum")) return std::nullopt;
  for (const Json& choice : schema["enum"]) {
    if (choice == value) return std::nullopt;
  }
  return said(place, "must be one of " + choices(schema["enum"]));
}

// Letters as people count them, not bytes.
std::size_t length_of(const std::string& text) {
  std::size_t letters = 0;
  for (const char c : text) letters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return letters;
}

Complaint check_size(const Json& schema, std::size_t size, const char* least, const char* most, const char* unit,
                     const std::string& place) {
  if (schema.contains(least) && size < schema[least].get<std::size_t>()) {
    return said(place, "must have at least " + print(schema[least]) + " " + unit);
  }
  if (schema.contains(most) && size > schema[most].get<std::size_t>()) {
    return said(place, "must have at most " + print(schema[most]) + " " + unit);
  }
  return std::nullopt;
}

Complaint check_number(const Json& schema, const Json& value, const std::string& place) {
  const double number = value.get<double>();
  if (schema.contains("minimum") && number < schema["minimum"].get<double>()) {
    return said(place, "must be at least " + print(schema["minimum"]));
  }
  if (schema.contains("maximum") && number > schema["maximum"].get<double>()) {
    return said(place, "must be at most " + print(schema["maximum"]));
  }
  if (schema.contains("exclusiveMinimum") && number <= schema["exclusiveMinimum"].get<double>()) {
    return said(place, "must be more than " + print(schema["exclusiveMinimum"]));
  }
  if (schema.contains("exclusiveMaximum") && number >= schema["exclusiveMaximum"].get<double>()) {
    return said(place, "must be less than " + print(schema["exclusiveMaximum"]));
  }
  return std::nullopt;
}

std::string unknown_member(const Json& properties, const std::string& name, const std::string& place) {
  std::vector<std::string_view> names;
  for (const auto& property : properties.items()) names.emplace_back(property.key());
  std::string text = at(place, name) + ": there is no such argument";
  if (const auto near = nearest(name, names)) return text + "; did you mean " + std::string(*near) + "?";
  if (names.empty()) return text + "; none is taken here";
  text += "; there are";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? " " : ", ") + std::string(names[i]);
  return text;
}

Complaint check_object(const Json& schema, Json& value, const std::string& place) {
  const Json none = Json::object();
  const Json& properties = schema.contains("properties") ? schema["properties"] : none;
  for (auto& member : value.items()) {
    if (properties.contains(member.key())) {
      if (auto wrong = check_schema(properties[member.key()], member.value(), at(place, member.key()))) return wrong;
    } else if (schema.contains("additionalProperties")) {
      const Json& others = schema["additionalProperties"];
      if (others == false) return unknown_member(properties, member.key(), place);
      if (auto wrong = check_schema(others, member.value(), at(place, member.key()))) return wrong;
    }
  }
  for (const auto& property : properties.items()) {
    const Json& its = property.value();
    if (!value.contains(property.key()) && its.is_object() && its.contains("default"))
      value[property.key()] = its["default"];
  }
  if (!schema.contains("required")) return std::nullopt;
  for (const Json& name : schema["required"]) {
    const auto& text = name.get_ref<const std::string&>();
    if (value.contains(text)) continue;
    const std::string expected = properties.contains(text) && properties[text].value("type", Json()).is_string()
                                     ? ", " + std::string(name_of(properties[text]["type"].get<std::string>()))
                                     : "";
    return at(place, text) + ": is missing" + expected;
  }
  return std::nullopt;
}

Complaint check_list(const Json& schema, Json& value, const std::string& place) {
  if (auto wrong = check_size(schema, value.size(), "minItems", "maxItems", "entries", place)) return wrong;
  if (!schema.contains("items")) return std::nullopt;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (auto wrong = check_schema(schema["items"], value[i], place + "[" + std::to_string(i) + "]")) return wrong;
  }
  return std::nullopt;
}

// The first schema that fits decides on defaults; if none does, the reason is that of the nearest: the last that had the type.
Complaint check_alternatives(const Json& schema, const char* word, Json& value, const std::string& place) {
  if (!schema.contains(word)) return std::nullopt;
  int fitting = 0;
  Json chosen;
  std::string reason;
  for (const Json& alternative : schema[word]) {
    Json copy = value;
    if (auto wrong = check_schema(alternative, copy, place)) {
      const bool shaped = !check_type(alternative, copy, place);
      if (reason.empty() || shaped) reason = std::move(*wrong);
    } else if (++fitting == 1) {
      chosen = std::move(copy);
    }
  }
  if (fitting == 0) return reason;
  if (fitting > 1 && std::string_view(word) == "oneOf")
    return said(place, "fits more than one of the forms allowed here");
  value = std::move(chosen);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> check_schema(const Json& schema, Json& value, const std::string& place) {
  if (schema == false) return said(place, "nothing is allowed here");
  if (!schema.is_object()) return std::nullopt;
  if (auto wrong = check_type(schema, value, place)) return wrong;
  if (auto wrong = check_choice(schema, value, place)) return wrong;
  if (value.is_string()) {
    const std::size_t length = length_of(value.get_ref<const std::string&>());
    if (auto wrong = check_size(schema, length, "minLength", "maxLength", "letters", place)) return wrong;
  }
  if (value.is_number()) {
    if (auto wrong = check_number(schema, value, place)) return wrong;
  }
  if (value.is_object()) {
    if (auto wrong = check_object(schema, value, place)) return wrong;
  }
  if (value.is_array()) {
    if (auto wrong = check_list(schema, value, place)) return wrong;
  }
  if (schema.contains("allOf")) {
    for (const Json& part : schema["allOf"]) {
      if (auto wrong = check_schema(part, value, place)) return wrong;
    }
  }
  if (auto wrong = check_alternatives(schema, "anyOf", value, place)) return wrong;
  return check_alternatives(schema, "oneOf", value, place);
}

}  // namespace pale::mcp
