// tests/support/workbench.h: for the unit tests of tools: a directory as a workspace, with no boundary around it but in words.
#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/directory.h"
#include "tools/toolbox.h"

namespace pale::tools {

using Json = nlohmann::ordered_json;

class Workbench : public test::InADirectory {
 protected:
  Workbench() : boundary_(made()), place_(*enter(boundary_, Power::Run, environ)) {}

  // What a tool answers: its structured content with its text as "TEXT", or {"ERROR": …}.
  Json call(std::string_view name, const Json& arguments = Json::object()) {
    const Tool* tool = find_tool(name, place_);
    const auto json = JsonValue::parse(arguments.dump(), 64);
    const auto checked = Arguments::check(*json, tool->parameters);
    if (!checked) return {{"ERROR", checked.error().sentence()}};
    const auto answer = tool->answer({place_, *checked});
    if (!answer) return {{"ERROR", answer.error().sentence() + "\n" + answer.error().hint}};
    Json result = Json::parse(answer->structured);
    result["CONTENT"] = Json::parse("[" + answer->content + "]");
    result["TEXT"] = result["CONTENT"][0].value("text", "");
    return result;
  }
  std::string error_of(std::string_view name, const Json& arguments) {
    return call(name, arguments).value("ERROR", "");
  }

  Boundary made() const {
    BoundaryParts parts;
    parts.workspace = parts.home = base();
    parts.grants = {{base(), Access::Write, base(), "workspace", {}},
                    {Path::literal("/usr"), Access::Read, Path::literal("/usr"), "system", {}}};
    parts.protections = {{at(".git/hooks"), Match::Exact, "default"}};
    return *Boundary::make(std::move(parts));
  }

  Boundary boundary_;
  Workplace place_;
};

}  // namespace pale::tools
