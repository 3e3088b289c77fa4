// What the tests of `pale loop` share: an agent that is a shell script, and what the loop says of it.
#pragma once

#include "projects.h"

namespace pale::test {

class WithLoop : public WithProjects {
 protected:
  // What the agent does for each story; the story is in $PALE_STORY.
  void agent(const std::string& cases) const {
    work().write("lib/agent.sh",
                 "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n"
                 "case $PALE_STORY in\n" +
                     cases + "esac\n");
  }
  void manifest(const std::string& more) const {
    write_manifest(
        "[project]\nid = \"app\"\n[agent]\ncommand = [\"/bin/sh\", \"lib/agent.sh\", \"{task}\"]\nprotected = "
        "[\"lib/agent.sh\"]\n" +
        more);
  }
  Finished loop(const Words& words, const Words& environment = {}) const {
    Process process;
    process.arguments = Words{pale_program(), "loop", "--project-root", root()} + words;
    process.account = GetParam();
    process.environment = environment_with(environment);
    process.directory = root();
    process.seconds = 240;
    return run(process);
  }
  Finished on_host(const std::string& line) const {
    Process process;
    process.arguments = {
        "/bin/sh", "-ec",
        "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; " + line};
    process.account = GetParam();
    process.environment = project_.environment();
    process.directory = root();
    Finished done = run(process);
    EXPECT_EQ(done.exit_code, 0) << line << done.err;
    return done;
  }
  // The ids of stories that pass, by what the file says.
  Words passing() const {
    Words ids;
    const auto prd = nlohmann::json::parse(work().read("prd.json"));
    for (const auto& story : prd.at("userStories")) {
      if (story.value("passes", false)) ids.push_back(story.at("id"));
    }
    return ids;
  }
  // All events of the log, "event story".
  std::vector<nlohmann::json> log() const {
    std::vector<nlohmann::json> events;
    for (const auto& entry : std::filesystem::directory_iterator(in_pale_home("loops"))) {
      std::ifstream in(entry.path() / "log.jsonl");
      for (std::string line; std::getline(in, line);) events.push_back(nlohmann::json::parse(line));
    }
    return events;
  }
  Words events(const std::string& story) const {
    Words names;
    for (const auto& event : log()) {
      if (event.value("story", "") == story) names.push_back(event.at("event"));
    }
    return names;
  }
  // What the runs of a story said, and what was said of them.
  std::string output_of(const std::string& story) const {
    std::string text;
    for (const auto& each : log()) {
      if (each.value("story", "") != story || each.at("event") != "run") continue;
      std::ifstream in(each.value("text", ""));
      text.append(std::istreambuf_iterator<char>(in), {});
    }
    return text;
  }
  nlohmann::json session() const {
    return nlohmann::json::parse(pale({"session", "show", text_of("begun", ""), "--json"}).out);
  }
  // How many runs of the agent were under way at the same time, at most.
  std::size_t most_at_once() const {
    std::size_t now = 0;
    std::size_t most = 0;
    for (const auto& each : log()) {
      if (each.at("event") == "run") most = std::max(most, ++now);
      if (each.at("event") == "agent") --now;
    }
    return most;
  }
  std::string text_of(const std::string& event, const std::string& story) const {
    for (const auto& each : log()) {
      if (each.value("story", "") == story && each.at("event") == event) return each.value("text", "");
    }
    return "";
  }
};

}  // namespace pale::test
