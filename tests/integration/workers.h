// What the tests of calls share: a project with zones, workers that are scripts, and how they are called.
#pragma once

#include "managed.h"

namespace pale::test {

class WithWorkers : public WithManagedProjects {
 protected:
  static std::string asks(const std::string& zones) { return "sandbox: {zones: [" + zones + "]}\n"; }
  static std::string calls(const std::string& names) {
    return "toolsets: {workers: {allowed_workers: [" + names + "]}}\n";
  }
  void worker(const std::string& name, const std::string& keys, const std::string& script) const {
    worker_file(name, keys + "run: [/bin/sh, -c, " + json(script).dump() + "]\n");
  }
  void python(const std::string& name, const std::string& keys, const std::string& program) const {
    worker_file(name, keys + "run: [python3, -c, " + json(program).dump() + "]\n");
  }
  void worker_file(const std::string& name, const std::string& keys) const {
    work().write(".pale/workers/" + name + ".worker", "---\nname: " + name + "\n" + keys + "---\nDo it.\n");
  }
  // Nobody is asked anything.
  void write_zones(const std::string& zones, const std::string& more = "") const {
    write_manifest("[project]\nid = \"shop\"\n[approval]\nmode = \"auto\"\n" + more + zones);
    for (const std::string name : {"data", "workspace", "cache"}) work().write(name + "/here", name);
  }
  void write_usual_zones(const std::string& more = "") const {
    write_zones("[zones.data]\n[zones.workspace]\n[zones.cache]\n", more);
  }

  Words call_words(const std::string& name, const Words& more = {}) const {
    return Words{"worker", "call", name, "--project-root", root()} + more;
  }
  Finished call(const std::string& name, const Words& more = {}) const { return pale(call_words(name, more)); }
  // Its answer, which must come.
  std::string answer_of(const std::string& name, const Words& more = {}) const {
    const Finished done = call(name, more);
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    return done.out;
  }
  // {"ok", "answer", "exit_code", "error"}.
  json called(const std::string& name, const Words& more = {}) const {
    return json::parse(call(name, Words{"--json"} + more).out, nullptr, false);
  }
  json last_session() const { return answer({"session", "list"}).at("sessions").at(0); }
  json shown(const std::string& session) const { return answer({"session", "show", session}); }
};

}  // namespace pale::test
