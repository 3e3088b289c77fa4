// prd.json, which agents write: it is read or refused with the reason, what is read means the same when it is written again,
// and its stories can be done in some order.
#include <set>

#include "base/json.h"
#include "fuzz/property.h"
#include "scope/prd.h"

namespace pale::scope {
namespace {

using fuzz::must;

void write_list(JsonWriter& out, const char* key, const std::vector<std::string>& texts) {
  out.key(key).begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

void write_story(JsonWriter& out, const Story& story) {
  out.begin_object().field("id", story.id).field("title", story.title).field("passes", story.passes);
  if (story.priority != kLowestPriority) out.field("priority", story.priority);
  write_list(out, "dependencies", story.dependencies);
  if (story.file_scope) write_list(out, "fileScope", *story.file_scope);
  out.field("notes", story.notes).end_object();
}

std::string written(const Prd& prd) {
  JsonWriter out;
  out.begin_object().field("project", prd.project).field("branchName", prd.branch_name);
  out.field("description", prd.description);
  if (prd.workspace) {
    out.key("workspace").begin_object().field("mode", prd.workspace->mode == Mode::Strict ? "strict" : "permissive");
    if (!prd.workspace->folders.empty()) write_list(out, "folders", prd.workspace->folders);
    out.end_object();
  }
  out.key("parallelization").begin_object().field("enabled", prd.parallelization.enabled);
  if (prd.parallelization.max_workers) out.field("maxWorkers", *prd.parallelization.max_workers);
  out.end_object().key("userStories").begin_array();
  for (const Story& story : prd.stories) write_story(out, story);
  out.end_array().end_object();
  return out.text();
}

// By doing them: whoever waits for nothing that is not done, is done next.
bool can_be_done(const std::vector<Story>& stories) {
  std::set<std::string_view> done;
  for (std::size_t before = stories.size() + 1; before != done.size();) {
    before = done.size();
    for (const Story& story : stories) {
      bool free = true;
      for (const std::string& need : story.dependencies) free = free && done.contains(need);
      if (free) done.insert(story.id);
    }
  }
  return done.size() == stories.size();
}

void check(std::string_view text) {
  const auto prd = parse_prd(text, "/p");
  if (!prd) {
    const std::string sentence = prd.error().sentence();
    must(sentence.starts_with("/p: ") && sentence.size() > 4, "a refusal names the file and says why", sentence);
    must(!prd.error().hint.empty(), "and what to do", sentence);
    return;
  }
  must(can_be_done(prd->stories), "ids are different, and the stories can be done", text);
  must(!prd->project.empty(), "it is of a project", text);
  const std::string once = written(*prd);
  const auto again = parse_prd(once, "/p");
  must(again.has_value(), "what was read can be read again", again ? "" : again.error().sentence() + "\n" + once);
  must(*again == *prd, "it says the same", once);
}

}  // namespace
}  // namespace pale::scope

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pale::scope::check(pale::fuzz::as_text(data, size));
  return 0;
}
