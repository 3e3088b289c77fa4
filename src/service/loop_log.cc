#include "service/loop_log.h"

#include <fcntl.h>

#include "service/compose.h"
#include "sys/event.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostLog = 256UL << 20U;
constexpr std::size_t kLongestName = 60;

// An id may be any text.
std::string file_name(const std::string& loop, std::uint64_t run, const std::string& story) {
  std::string name = loop + "-" + std::to_string(run) + "-";
  for (const char c : story) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (name.size() < kLongestName) name += plain ? c : '_';
  }
  return name + ".log";
}

}  // namespace

Path loop_log_of(const Path& pale_home, const Path& prd) {
  // Named as a project's places are.
  return pale_home / "loops" / stages_of(pale_home, prd).name() / "log.jsonl";
}

Result<LoopLog> LoopLog::open(const Path& pale_home, const Path& prd) {
  const Path file = loop_log_of(pale_home, prd);
  PALE_CHECK(sys::make_directories(file.parent().text(), 0700));
  PALE_TRY(log, sys::open_at(sys::kAbsolute, file.c_str(), O_RDWR | O_CREAT | O_APPEND, 0600));
  PALE_TRY(lock, sys::try_lock(log, sys::LockKind::Exclusive));
  if (lock == sys::Lock::Held)
    return fail(ErrorKind::Refused, "another loop works on", prd.text(), "wait for it, or end it with Ctrl-C");
  // A process that was killed may have left half a line.
  PALE_TRY(text, sys::read_file(sys::kAbsolute, file.c_str(), kMostLog));
  if (!text.empty() && !text.ends_with('\n')) PALE_CHECK(sys::write_all(log.borrow(), "\n"));
  return LoopLog(file, std::move(log));
}

Result<std::vector<loop::Entry>> LoopLog::read() const {
  PALE_TRY(text, sys::read_file(sys::kAbsolute, file().c_str(), kMostLog));
  return loop::read_log(text);
}

Status LoopLog::append(loop::Entry entry) {
  entry.at = sys::wall_clock_ns() / 1'000'000;
  return sys::write_all(log_.borrow(), to_line(entry));
}

Result<sys::Fd> LoopLog::open_output(const std::string& loop, std::uint64_t run, const std::string& story,
                                     Path& file) const {
  file = file_.parent() / file_name(loop, run, story);
  return sys::open_at(sys::kAbsolute, file.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_APPEND, 0600);
}

}  // namespace pale::service
