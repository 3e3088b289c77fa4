#include "tools/job.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sys/event.h"
#include "sys/file.h"
#include "tools/minder.h"

namespace pale::tools {
namespace {

constexpr std::size_t kPiece = 16384;
constexpr int kMostPieces = 16;  // then others have their turn

}  // namespace

std::string_view variable_in(char* const* envp, std::string_view name) {
  for (; envp != nullptr && *envp != nullptr; ++envp) {
    const std::string_view variable = *envp;
    if (variable.starts_with(name) && variable.substr(name.size()).starts_with('=')) {
      return variable.substr(name.size() + 1);
    }
  }
  return {};
}

Job::Job(sys::Child minder, sys::Fd line, sys::Fd output, const JobRequest& request, std::uint64_t before)
    : minder_(std::move(minder)),
      line_(std::move(line)),
      output_(std::move(output)),
      written_(request.aside, request.most_output),
      program_(request.command.front()),
      started_ms_(sys::monotonic_ms()),
      deadline_ms_(started_ms_ + static_cast<std::int64_t>(request.seconds) * 1000),
      blocked_(request.blocked),
      blocked_before_(before) {}

Result<Job> Job::start(const JobRequest& request) {
  PALE_TRY(line, sys::open_pipe());
  PALE_TRY(output, sys::open_pipe());
  PALE_CHECK(sys::set_nonblocking(line.read_end));
  PALE_CHECK(sys::set_nonblocking(output.read_end));
  const std::uint64_t before = request.blocked != nullptr ? request.blocked->count() : 0;
  PALE_TRY(child, sys::fork_into(0));
  if (child.pid == 0) {
    line.read_end.reset();
    output.read_end.reset();
    mind(request, line.write_end, std::move(output.write_end));
  }
  return Job(std::move(child), std::move(line.read_end), std::move(output.read_end), request, before);
}

void Job::take_output() {
  std::array<char, kPiece> buffer;
  for (int pieces = 0; output_.is_open() && pieces < kMostPieces; ++pieces) {
    const auto got = sys::try_read(output_, buffer);
    if (got && !*got) return;
    const std::size_t size = got ? got->value_or(0) : 0;
    if (size == 0) return output_.reset();
    written_.add({buffer.data(), size});
  }
}

std::optional<JobEnd> Job::take_end() {
  Discharge said{SIGKILL, 0};  // by whoever killed the minder, if it says nothing
  std::array<char, sizeof said> buffer;
  const auto got = sys::try_read(line_, buffer);
  if (got && !*got) return std::nullopt;
  if (got && got->value_or(0) == sizeof said) std::memcpy(&said, buffer.data(), sizeof said);
  (void)sys::wait_for(minder_.pid);
  take_output();
  return JobEnd{sys::exit_code_of(said.status), said.exec_error, timed_out_, sys::monotonic_ms() - started_ms_};
}

void Job::end() const { (void)sys::send_signal(minder_.pidfd, SIGTERM); }

void Job::time_out() {
  timed_out_ = true;
  deadline_ms_ = INT64_MAX;
  end();
}

}  // namespace pale::tools
