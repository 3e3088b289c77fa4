#include "scope/order.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace pale::scope {
namespace {

// What waits, and for how many.
class Waiting {
 public:
  explicit Waiting(const std::vector<Story>& stories) : stories_(stories), waits_for_(stories.size(), 0) {
    for (std::size_t at = 0; at < stories.size(); ++at) by_id_.emplace_back(stories[at].id, at);
    std::ranges::sort(by_id_);
    needed_by_.resize(stories.size());
    for (std::size_t at = 0; at < stories.size(); ++at) {
      for (const std::string& id : stories[at].dependencies) {
        const auto need = std::ranges::lower_bound(by_id_, id, {}, &std::pair<std::string_view, std::size_t>::first);
        if (need == by_id_.end() || need->first != id || stories[need->second].passes) continue;
        ++waits_for_[at];
        needed_by_[need->second].push_back(at);
      }
    }
  }

  // For a heap whose top comes first.
  bool comes_later(std::size_t left, std::size_t right) const {
    return std::pair(stories_[left].priority, left) > std::pair(stories_[right].priority, right);
  }

  std::vector<std::size_t> ready() const {
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < stories_.size(); ++at) {
      if (!stories_[at].passes && waits_for_[at] == 0) places.push_back(at);
    }
    return places;
  }

  // Those that waited for nothing else.
  std::vector<std::size_t> freed_by(std::size_t done) {
    std::vector<std::size_t> freed;
    for (const std::size_t waiting : needed_by_[done]) {
      if (--waits_for_[waiting] == 0 && !stories_[waiting].passes) freed.push_back(waiting);
    }
    return freed;
  }

 private:
  const std::vector<Story>& stories_;
  std::vector<std::pair<std::string_view, std::size_t>> by_id_;
  std::vector<std::size_t> waits_for_;
  std::vector<std::vector<std::size_t>> needed_by_;
};

}  // namespace

std::vector<std::size_t> ready_stories(const std::vector<Story>& stories) {
  std::vector<std::size_t> ready = Waiting(stories).ready();
  std::ranges::sort(ready, {}, [&](std::size_t at) { return std::pair(stories[at].priority, at); });
  return ready;
}

std::vector<std::size_t> work_order(const std::vector<Story>& stories) {
  Waiting waiting(stories);
  const auto later = [&](std::size_t left, std::size_t right) { return waiting.comes_later(left, right); };
  std::vector<std::size_t> heap = waiting.ready();
  std::ranges::make_heap(heap, later);
  std::vector<std::size_t> order;
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, later);
    order.push_back(heap.back());
    heap.pop_back();
    for (const std::size_t freed : waiting.freed_by(order.back())) {
      heap.push_back(freed);
      std::ranges::push_heap(heap, later);
    }
  }
  return order;
}

}  // namespace pale::scope
