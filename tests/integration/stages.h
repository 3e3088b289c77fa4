// What the tests of stages share: a project, work in its stages, and what is said of them.
#pragma once

#include "projects.h"

namespace pale::test {

class WithStages : public WithProjects {
 protected:
  // A shell line inside a stage.
  Finished in_stage(const std::string& name, const std::string& line, const Words& flags = {}) const {
    return pale(Words{"run", "--project-root", root(), "--stage", name} + flags + Words{"--", "/bin/sh", "-c", line});
  }
  // It must succeed.
  void work_in(const std::string& name, const std::string& line, const Words& flags = {}) const {
    const Finished done = in_stage(name, "set -e; " + line, flags);
    EXPECT_EQ(done.exit_code, 0) << done.err;
  }
  Finished stage(const Words& words, const std::string& input = {}) const {
    return pale_in(root(), Words{"stage"} + words + Words{"--project-root", root()}, {}, input);
  }
  // "kind path" of every change, a line each.
  std::string changes(const std::string& name) const {
    const Finished shown = stage({"show", name, "--json"});
    EXPECT_EQ(shown.exit_code == 0 || shown.exit_code == 4, true) << shown.err;
    std::string text;
    const auto parsed = nlohmann::json::parse(shown.out, nullptr, false);
    if (parsed.is_discarded()) return "no JSON: " + shown.out;
    for (const auto& change : parsed.at("changes")) {
      if (!change.at("from").is_null()) text += change.at("from").get<std::string>() + " ";
      text += change.at("kind").get<std::string>() + " " + change.at("path").get<std::string>() + "\n";
    }
    return text;
  }
  void expect_applied(const Words& words) const {
    const Finished done = stage(Words{"apply"} + words);
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  }
  // On the host, as the user.
  Finished on_host(const std::string& line) const {
    Process process;
    process.arguments = {"/bin/sh", "-ec", line};
    process.account = GetParam();
    process.environment = project_.environment();
    process.directory = root();
    return run(process);
  }
  // What was there when a stage began is older than it by more than a tick of the clock.
  void let_a_tick_pass() const { on_host("sleep 0.02"); }
};

}  // namespace pale::test
