#include "service/loop_stories.h"

#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "project/here.h"
#include "scope/prd_edit.h"
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
  PALE_TRY(text, sys::read_file(sys::kAbsolute, file_.c_str(), kLargest));
  PALE_TRY(now, scope::parse_prd(text, file_.text()));
  const auto found = std::ranges::find(now.stories, story, &scope::Story::id);
  if (found == now.stories.end())
    return fail(ErrorKind::NotFound, "the story " + story + " is no longer in", file_.text(), "put it back");
  if (found->passes) return {};
  const scope::StoryEdit edit{static_cast<std::size_t>(found - now.stories.begin()), "passes", "true"};
  PALE_TRY(info, sys::file_info(sys::kAbsolute, file_.c_str()));
  return sys::replace_file(file_.text(), scope::edit_stories(text, {&edit, 1}), info.mode, sys::Durability::OfDisk);
}

}  // namespace pale::service
