// service/loop_stories.h: the prd.json of a loop: where it lies, what it says, and its stories marked as they pass.
#pragma once

#include "base/path.h"
#include "loop/task.h"

namespace pale::service {

class LoopStories {
 public:
  // `given` as typed; empty: prd.json in `root`.
  static Result<LoopStories> read(const std::string& given, const Path& root);

  const Path& file() const noexcept { return file_; }
  const scope::Prd& prd() const noexcept { return prd_; }
  const loop::Task& task(std::size_t story) const { return tasks_[story]; }

  // As the file is now: whoever changed something else in it keeps that.
  Status mark(const std::string& story) const;

 private:
  LoopStories(Path file, scope::Prd prd, std::vector<loop::Task> tasks)
      : file_(std::move(file)), prd_(std::move(prd)), tasks_(std::move(tasks)) {}
  Path file_;
  scope::Prd prd_;
  std::vector<loop::Task> tasks_;
};

}  // namespace pale::service
