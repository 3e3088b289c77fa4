// studio/answer.h: what the API is asked and what it answers, apart from HTTP. Values.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "mcp/json.h"

namespace pale::studio {

using mcp::Json;

// What went wrong, as the API says it: {"error":{"code","message","hint"}}.
struct Fault {
  Fault(const Error& error);  // Not explicit: PALE_TRY passes an Error up as one.
  Fault(int with_status, std::string with_code, std::string with_message, std::string with_hint = {},
        Json with_details = {})
      : status(with_status),
        code(std::move(with_code)),
        message(std::move(with_message)),
        hint(std::move(with_hint)),
        details(std::move(with_details)) {}

  int status;
  std::string code;
  std::string message;
  std::string hint;
  Json details;  // an object, if there is more to say
};

using Answer = std::expected<Json, Fault>;
inline std::unexpected<Fault> refuse(Fault fault) { return std::unexpected(std::move(fault)); }

Json to_json(const Fault& fault);

// One request, checked as far as the table of operations tells.
struct Asked {
  std::string operation;  // "GET /stages/{id}"
  std::string project;    // its id; empty for what is about none
  std::string id;         // what stands for {id}
  std::string user;       // who asks
  std::vector<std::string> scopes;
  std::string csrf;             // of his page
  Json query = Json::object();  // of texts
  Json body = Json::object();

  std::string text(const char* name) const;  // of the query; empty: not there
  std::uint64_t number(const char* name, std::uint64_t usual, std::uint64_t most) const;
  std::string said(const char* name) const;  // a text of the body; empty: not there
  bool flag(const char* name) const;
  std::vector<std::string> words(const char* name) const;
};

std::string to_text(const Asked& asked);
std::optional<Asked> parse_asked(const std::string& text);

std::string iso(std::int64_t milliseconds);
// Any bytes as a text that JSON can carry: what is no UTF-8 becomes U+FFFD.
std::string sane(const std::string& bytes);
bool is_utf8(const std::string& bytes);

}  // namespace pale::studio
