// session/about.h: session.json: what a session is, written once by its host before it lives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_value.h"

namespace pale::session {

struct Limits {
  std::optional<std::uint64_t> memory;  // bytes
  std::optional<std::uint64_t> pids;
  std::optional<std::uint64_t> disk;     // bytes in the workspace and its home
  std::optional<std::uint64_t> seconds;  // of a session's life
  bool operator==(const Limits&) const = default;
};

struct About {
  std::string id;
  std::string project;
  std::string workspace;  // a UUID
  std::string stage;      // empty: it works in the workspace itself
  std::int64_t created_ms = 0;
  Limits limits;
  // For people; empty: not said.
  std::string kind;   // of a local project's: run, agent, worker, loop, tools
  std::string title;  // the task, in its own words
  std::string agent;  // who works on it
  bool operator==(const About&) const = default;
};

// Of what is asked for; what is on record is read as it is.
Status check_limits(const Limits& limits);
std::string to_json(const Limits& limits);  // only those that are set
Result<Limits> parse_limits(const JsonValue& json);

std::string to_json(const About& about);
Result<About> parse_about(std::string_view text);

}  // namespace pale::session
