// grep/crew.h: several threads that share the work of going through a tree.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "search/walk.h"

namespace pale::grep {

// A directory that was looked into, and those above it: its files, its descriptor and its rules live as long as anybody works
// beneath it.
struct Branch {
  search::Listing listing;
  std::shared_ptr<const Branch> above;
  std::string path;
};

// A directory to look into, or files of one to search.
struct Task {
  std::shared_ptr<const Branch> branch;
  search::Place place;         // a directory: `name` in the branch
  std::string name;            // empty: files
  std::size_t first_file = 0;  // of the branch
  std::size_t last_file = 0;
};

// The last that comes is the first to be done: so few directories are open at a time, however large the tree is.
class Crew {
 public:
  void add(std::vector<Task> tasks);
  // Returns when all is done, also what was added meanwhile. `work` runs in each of `count` threads, and takes tasks until there
  // are none.
  void run(unsigned count, const std::function<void()>& work);
  // Nothing when all is done. The one before counts as done.
  bool next(Task& task);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Task> tasks_;
  unsigned threads_ = 0;
  unsigned idle_ = 0;
};

}  // namespace pale::grep
