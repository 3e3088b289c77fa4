#include "grep/crew.h"

#include <algorithm>
#include <iterator>
#include <thread>

namespace pale::grep {

void Crew::add(std::vector<Task> tasks) {
  if (tasks.empty()) return;
  const std::lock_guard lock(mutex_);
  std::ranges::move(tasks, std::back_inserter(tasks_));
  if (idle_ > 0) changed_.notify_all();
}

bool Crew::next(Task& task) {
  task = {};  // Its branch may be the last one's: closed outside the lock.
  std::unique_lock lock(mutex_);
  ++idle_;
  // When nobody works any more, nothing can come.
  changed_.wait(lock, [&] { return !tasks_.empty() || idle_ == threads_; });
  if (tasks_.empty()) {
    changed_.notify_all();
    return false;
  }
  --idle_;
  task = std::move(tasks_.back());
  tasks_.pop_back();
  return true;
}

void Crew::run(unsigned count, const std::function<void()>& work) {
  threads_ = count;
  std::vector<std::jthread> others;
  for (unsigned each = 1; each < count; ++each) others.emplace_back(work);
  work();
}

}  // namespace pale::grep
