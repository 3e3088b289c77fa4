#include "scope/template.h"

#include <algorithm>

#include "base/json.h"

namespace pale::scope {
namespace {

constexpr std::string_view kCode[] = {"src", "lib", "app", "tests", "test"};
constexpr std::string_view kTests[] = {"tests", "test", "spec"};
constexpr std::string_view kDocs[] = {"docs", "doc"};

constexpr TemplateStory kFeature[] = {
    {"Lay the ground", "The types and interfaces that the feature needs, without its behaviour.", "It builds"},
    {"Make it work", "The behaviour itself, in its simplest form.", "A test shows the usual case"},
    {"Make it hold", "What happens with wrong input, and when something fails.", "A test shows each failure"},
};
constexpr TemplateStory kBugfix[] = {
    {"Show the fault", "A test that fails because of it, and of nothing else.", "The test fails as the report says"},
    {"Mend it", "The smallest change that makes the test pass.", "All tests pass"},
};
constexpr TemplateStory kRefactor[] = {
    {"Pin the behaviour", "Tests for what the code does now, where there are none.", "All tests pass"},
    {"Change the shape", "The new structure; what it does stays the same.", "The same tests pass, unchanged"},
    {"Remove what is left over", "What nobody uses any more.", "All tests pass"},
};
constexpr TemplateStory kTesting[] = {
    {"Find what is untested", "A list of behaviours without a test, the most used first.", "The list is in the notes"},
    {"Write the tests", "One for each behaviour of the list.", "Each fails if its behaviour is broken"},
};
constexpr TemplateStory kWriting[] = {
    {"Say what it is for", "The first page: what it does, and how to begin.", "A new user gets it to run"},
    {"Describe each part", "What a user can do, with an example each.", "Every example was tried"},
};

constexpr Template kTemplates[] = {
    {"feature", "something new, in three steps", "feature/", Mode::Strict, kCode, kFeature},
    {"bugfix", "a test that shows a fault, then the mending of it", "fix/", Mode::Strict, kCode, kBugfix},
    {"refactor", "another structure, the same behaviour", "refactor/", Mode::Strict, kCode, kRefactor},
    {"tests", "tests for what has none; they may read all of it", "tests/", Mode::Permissive, kTests, kTesting},
    {"docs", "documentation; it may read all of it", "docs/", Mode::Permissive, kDocs, kWriting},
};

std::string story_id(std::size_t number) {
  const std::string digits = std::to_string(number);
  return "US-" + std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits;
}

void write_story(JsonWriter& out, const TemplateStory& story, std::size_t number) {
  out.begin_object().field("id", story_id(number)).field("title", story.title);
  out.field("description", story.description).key("acceptanceCriteria").begin_array();
  out.value(story.criterion).end_array().field("priority", number).key("dependencies").begin_array();
  if (number > 1) out.value(story_id(number - 1));
  out.end_array().field("passes", false).field("notes", "").end_object();
}

}  // namespace

std::span<const Template> templates() { return kTemplates; }

const Template* find_template(std::string_view name) noexcept {
  const auto* found = std::ranges::find(kTemplates, name, &Template::name);
  return found == std::end(kTemplates) ? nullptr : found;
}

std::string prd_text(const Template& kind, std::string_view project, std::span<const std::string> folders) {
  JsonWriter out;
  out.begin_object().field("project", project).field("branchName", std::string(kind.branch) + std::string(project));
  out.field("description", kind.about);
  if (!folders.empty()) {
    out.key("workspace").begin_object().key("folders").begin_array();
    for (const std::string& folder : folders) out.value(folder);
    out.end_array().field("mode", to_text(kind.mode)).end_object();
  }
  out.key("userStories").begin_array();
  for (std::size_t at = 0; at < kind.stories.size(); ++at) write_story(out, kind.stories[at], at + 1);
  out.end_array().end_object();
  return indented(out.text()) + "\n";
}

}  // namespace pale::scope
