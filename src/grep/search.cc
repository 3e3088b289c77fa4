#include "grep/search.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "base/path.h"
#include "grep/crew.h"
#include "grep/file_search.h"
#include "grep/kept.h"
#include "search/glob.h"
#include "sys/event.h"

namespace pale::grep {
namespace {

using search::Answer;
using search::Request;

constexpr unsigned kMostThreads = 16;
constexpr std::size_t kFilesAtOnce = 64;  // of one directory, by one thread
constexpr int kOpenFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

// What all threads know.
struct Order {
  const Request& request;
  const Regex& regex;
  const std::optional<search::Glob>& glob;
  std::int64_t deadline_ms;
  std::atomic<bool> out_of_time = false;

  bool go_on() {
    if (out_of_time.load(std::memory_order_relaxed)) return false;
    if (sys::monotonic_ms() < deadline_ms) return true;
    out_of_time = true;
    return false;
  }
};

Bounds bounds_of(const Request& request) { return {request.most_lines, request.most_bytes}; }

// One thread's work, and what it found.
class Worker {
 public:
  Worker(Order& order, Crew& crew)
      : order_(order),
        crew_(crew),
        files_(order.regex, order.request.context, [&order] { return order.go_on(); }),
        kept_(order.request.report, bounds_of(order.request)) {}

  void work() {
    for (Task task; crew_.next(task);) {
      if (!order_.go_on()) continue;
      if (task.name.empty()) {
        search_files(*task.branch, task.first_file, task.last_file);
      } else {
        look_into(task);
      }
    }
  }

  void add_to(Answer& answer, Kept& all) && {
    answer.matching_lines += found_.matching_lines;
    answer.matching_files += found_.matching_files;
    answer.searched_files += found_.searched_files;
    answer.unread += found_.unread;
    answer.hard += found_.hard;
    all.merge(std::move(kept_));
  }

 private:
  void look_into(const Task& task) {
    auto listing = search::list(task.branch->listing.directory, task.name, task.place, order_.request.walk);
    if (!listing || task.place.depth >= search::kDeepestPlace) {
      ++found_.unread;
      return;
    }
    const auto branch = std::make_shared<const Branch>(Branch{std::move(*listing), task.branch, task.place.path});
    std::vector<Task> tasks;
    for (const std::string& name : branch->listing.directories) {
      const search::Place place = {search::joined(branch->path, name), branch->listing.rules, task.place.depth + 1};
      tasks.push_back({branch, place, name});
    }
    const std::size_t count = branch->listing.files.size();
    for (std::size_t first = kFilesAtOnce; first < count; first += kFilesAtOnce)
      tasks.push_back({branch, {}, "", first, std::min(first + kFilesAtOnce, count)});
    crew_.add(std::move(tasks));
    search_files(*branch, 0, std::min(kFilesAtOnce, count));
  }

  void search_files(const Branch& branch, std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last && order_.go_on(); ++at) {
      const std::string& name = branch.listing.files[at];
      std::string path = search::joined(branch.path, name);
      if (order_.glob && !order_.glob->matches(path)) continue;
      search_file(branch.listing.directory, name, std::move(path));
    }
  }

  bool is_meant(const std::string& name) const {
    const auto& only = order_.request.only;
    return only.empty() || std::ranges::any_of(only, [&](const std::string& suffix) { return name.ends_with(suffix); });
  }

  void search_file(const sys::Fd& directory, const std::string& name, std::string path) {
    if (!is_meant(name)) return;
    const auto file = sys::open_at(directory.borrow(), name.c_str(), kOpenFile);
    if (!file) {
      ++found_.unread;
      return;
    }
    const auto wanted = kept_.wants(path);
    const bool lines = wanted && order_.request.report == search::Report::Lines;
    FileResult result = files_.search(*file, lines ? wanted : std::nullopt);
    found_.searched_files += result.kind == FileKind::Text ? 1 : 0;
    found_.unread += result.kind == FileKind::Unreadable ? 1 : 0;
    found_.hard += result.hard ? 1 : 0;
    if (result.count == 0) return;
    ++found_.matching_files;
    found_.matching_lines += result.count;
    if (wanted) kept_.add({std::move(path), result.count, std::move(result.lines)});
  }

  Order& order_;
  Crew& crew_;
  FileSearch files_;
  Kept kept_;
  Answer found_;
};

// A path that lies in another one is searched with it.
Result<std::vector<std::string>> starts_of(const Request& request) {
  std::vector<Path> paths;
  for (const std::string& text : request.paths) {
    if (text.empty() || text == ".") return std::vector<std::string>{""};
    PALE_TRY(path, Path::parse(text));
    paths.push_back(std::move(path));
  }
  std::ranges::sort(paths);
  std::vector<std::string> starts;
  for (const Path& path : paths) {
    const bool inside =
        std::ranges::any_of(starts, [&](const std::string& start) { return Path::literal(start).covers(path); });
    if (!inside) starts.push_back(path.text());
  }
  if (starts.empty()) starts.emplace_back("");
  return starts;
}

Result<Task> task_for(const sys::Fd& root, const std::string& path, const search::WalkOptions& options) {
  PALE_TRY(start, search::start_at(root, path, options));
  Branch branch;
  branch.listing.directory = std::move(start.parent);
  branch.listing.own = std::move(start.own);
  const std::size_t slash = start.place.path.rfind('/');
  branch.path = slash == std::string::npos ? "" : start.place.path.substr(0, slash);
  Task task;
  task.place = std::move(start.place);
  if (start.kind == search::EntryKind::File) {
    branch.listing.files = {start.name};
    task.last_file = 1;
  } else {
    task.name = std::move(start.name);
  }
  task.branch = std::make_shared<const Branch>(std::move(branch));
  return task;
}

Result<Answer> search_from(std::vector<Task> tasks, Order& order) {
  Crew crew;
  crew.add(std::move(tasks));
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned each = 0; each < threads; ++each) workers.push_back(std::make_unique<Worker>(order, crew));
  std::atomic<unsigned> next = 0;
  crew.run(threads, [&] { workers[next++]->work(); });
  Answer answer;
  Kept all(order.request.report, bounds_of(order.request));
  for (const auto& worker : workers) std::move(*worker).add_to(answer, all);
  answer.out_of_time = order.out_of_time;
  answer.files = std::move(all).take();
  std::uint64_t shown = 0;
  for (search::FileMatches& file : answer.files) {
    file.path.insert(0, order.request.prefix);
    const auto matching = std::ranges::count_if(file.lines, [](const search::Line& line) { return line.matches; });
    shown += order.request.report == search::Report::Counts ? file.count : static_cast<std::uint64_t>(matching);
  }
  answer.more = shown < answer.matching_lines;
  return answer;
}

}  // namespace

Result<Answer> run(const Request& request) {
  const std::int64_t deadline =
      sys::monotonic_ms() + static_cast<std::int64_t>(std::min<std::uint64_t>(request.time_limit, 1U << 30U));
  PALE_TRY(regex, Regex::compile(request.pattern, request.syntax, request.letters));
  std::optional<search::Glob> glob;
  if (!request.glob.empty()) {
    PALE_TRY(parsed, search::Glob::parse(request.glob));
    glob = std::move(parsed);
  }
  PALE_TRY(root, sys::open_at(sys::kAbsolute, request.root.c_str(), O_PATH | O_DIRECTORY));
  PALE_TRY(starts, starts_of(request));
  std::vector<Task> tasks;
  for (const std::string& start : starts) {
    PALE_TRY(task, task_for(root, start, request.walk));
    tasks.push_back(std::move(task));
  }
  Order order{request, regex, glob, deadline};
  return search_from(std::move(tasks), order);
}

}  // namespace pale::grep
