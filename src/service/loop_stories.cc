#include "service/loop_stories.h"

#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "project/here.h"
#include "service/scope.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::size_t kLargest = 64UL << 20U;
constexpr std::string_view kUsualName = "prd.json";

// Through links: what is written later is the file itself.
Result<Path> find_file(const std::string& given, const Path& root) {
  std::string text = (root / kUsualName).text();
  if (!given.empty()) {
    PALE_TRY(typed, project::from_here(given));
    text = std::move(typed);
  }
  auto file = sys::open_at(sys::kAbsolute, text.c_str(), O_PATH);
  if (!file) {
    Error error = std::move(file).error();
    error.kind = ErrorKind::NotFound;
    error.operation = "there are no stories to work through:";
    error.subject = text;
    return fail(std::move(error).with_hint("pale loop init").or_hint("pale loop FILE"));
  }
  PALE_TRY(real, sys::path_of(*file));
  return Path::parse(real);
}

}  // namespace

Result<LoopStories> LoopStories::read(const std::string& given, const Path& root) {
  PALE_TRY(file, find_file(given, root));
  PALE_TRY(text, sys::read_file(sys::kAbsolute, file.c_str(), kLargest));
  const std::string name = given.empty() ? std::string(kUsualName) : given;
  PALE_TRY(prd, scope::parse_prd(text, name));
  PALE_TRY(tasks, loop::read_tasks(text, name));
  return LoopStories(std::move(file), std::move(prd), std::move(tasks));
}

Status LoopStories::mark(const std::string& story) const {
  PALE_TRY(now, PrdFile::open(file_.text()));
  const std::vector<scope::Story>& all = now.prd().stories;
  const auto found = std::ranges::find(all, story, &scope::Story::id);
  if (found == all.end())
    return fail(ErrorKind::NotFound, "the story " + story + " is no longer in", file_.text(), "put it back");
  if (found->passes) return {};
  const scope::StoryEdit edit{static_cast<std::size_t>(found - all.begin()), "passes", "true"};
  return now.change({&edit, 1});
}

}  // namespace pale::service
