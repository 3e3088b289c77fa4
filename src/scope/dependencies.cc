#include "scope/dependencies.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace pale::scope {
namespace {

class Graph {
 public:
  explicit Graph(const std::vector<Story>& stories) : stories_(stories) {
    for (std::size_t at = 0; at < stories.size(); ++at) by_id_.emplace_back(stories[at].id, at);
    std::ranges::sort(by_id_);
  }

  Status check() {
    PALE_CHECK(check_ids());
    PALE_CHECK(link());
    marks_.assign(stories_.size(), Mark::New);
    for (std::size_t at = 0; at < stories_.size(); ++at) PALE_CHECK(walk(at));
    return {};
  }

 private:
  enum class Mark { New, OnTheWay, Done };
  struct Visit {
    std::size_t story;
    std::size_t next = 0;  // which of its dependencies is looked at next
  };

  Status check_ids() const {
    const auto same = std::ranges::adjacent_find(by_id_, {}, &std::pair<std::string_view, std::size_t>::first);
    if (same == by_id_.end()) return {};
    return fail(ErrorKind::Usage, "story " + std::string(same->first) + ": its id stands twice", "",
                "give one of them another id");
  }

  Status link() {
    for (const Story& story : stories_) {
      std::vector<std::size_t>& needs = needs_.emplace_back();
      for (const std::string& id : story.dependencies) {
        const auto found = std::ranges::lower_bound(by_id_, id, {}, &std::pair<std::string_view, std::size_t>::first);
        if (found == by_id_.end() || found->first != id) return no_such_story(story, id);
        needs.push_back(found->second);
      }
    }
    return {};
  }

  std::unexpected<Error> no_such_story(const Story& story, const std::string& id) const {
    std::vector<std::string_view> ids;
    for (const auto& [known, at] : by_id_) ids.push_back(known);
    const auto close = nearest(id, ids);
    return fail(ErrorKind::Usage, "story " + story.id + ": dependencies names a story that does not exist: " + id, "",
                close && *close != story.id ? "did you mean " + std::string(*close) + "?" : "remove it from the list");
  }

  // Not by calling itself: a file may hold a chain of any length.
  Status walk(std::size_t first) {
    std::vector<Visit> way;
    const auto enter = [&](std::size_t story) {
      marks_[story] = Mark::OnTheWay;
      way.push_back({story});
    };
    if (marks_[first] == Mark::New) enter(first);
    while (!way.empty()) {
      Visit& last = way.back();
      if (last.next == needs_[last.story].size()) {
        marks_[last.story] = Mark::Done;
        way.pop_back();
        continue;
      }
      const std::size_t need = needs_[last.story][last.next++];
      if (marks_[need] == Mark::OnTheWay) return cycle(way, need);
      if (marks_[need] == Mark::New) enter(need);
    }
    return {};
  }

  std::unexpected<Error> cycle(const std::vector<Visit>& way, std::size_t again) const {
    std::string shown;
    for (auto visit = std::ranges::find(way, again, &Visit::story); visit != way.end(); ++visit)
      shown += stories_[visit->story].id + " -> ";
    return fail(ErrorKind::Usage,
                "story " + stories_[again].id + ": dependencies form a cycle:", shown + stories_[again].id,
                "remove one of these dependencies");
  }

  const std::vector<Story>& stories_;
  std::vector<std::pair<std::string_view, std::size_t>> by_id_;  // sorted
  std::vector<std::vector<std::size_t>> needs_;
  std::vector<Mark> marks_;
};

}  // namespace

Status check_dependencies(const std::vector<Story>& stories) { return Graph(stories).check(); }

}  // namespace pale::scope
