#include "service/session_run.h"

#include <fcntl.h>

#include "base/amount.h"
#include "base/text.h"
#include "sys/event.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostPending = 1UL << 20U;

}  // namespace

Status check_run(const session::Ask& ask) {
  if (ask.command.empty() || ask.command.front().empty())
    return fail(ErrorKind::Usage, "no command to run", "", "pale session run SESSION -- COMMAND");
  // It would end there, and the record say otherwise.
  for (const std::string& word : ask.command) {
    if (word.find('\0') != std::string::npos)
      return fail(ErrorKind::Usage, "a command holds no NUL byte:", printable(word), "write it with printf '\\0'");
  }
  return ask.time_limit ? check_amount(measure::kSeconds, "timeout_seconds", *ask.time_limit) : Status();
}

Result<OpenedRun> open_run(InputKind input) {
  OpenedRun opened;
  if (input == InputKind::None) {
    PALE_TRY(null, sys::open_at(sys::kAbsolute, "/dev/null", O_RDONLY));
    opened.theirs.input = std::move(null);
  } else {
    PALE_TRY(pipe, sys::open_pipe());
    PALE_CHECK(sys::set_nonblocking(pipe.write_end));
    opened.theirs.input = std::move(pipe.read_end);
    opened.input = std::move(pipe.write_end);
  }
  PALE_TRY(output, sys::open_pipe());
  PALE_TRY(errors, sys::open_pipe());
  PALE_CHECK(sys::set_nonblocking(output.read_end));
  PALE_CHECK(sys::set_nonblocking(errors.read_end));
  opened.theirs.output = std::move(output.write_end);
  opened.theirs.errors = std::move(errors.write_end);
  opened.output = std::move(output.read_end);
  opened.errors = std::move(errors.read_end);
  return opened;
}

Status InputPipe::add(std::string_view data, bool last) {
  if (!pipe_.is_open() || last_) return fail(ErrorKind::Refused, "the command's input is closed", "");
  if (pending_.size() + data.size() > kMostPending)
    return fail(ErrorKind::Refused, "the command does not read its input:", "a megabyte waits already");
  pending_ += data;
  last_ = last;
  write_some();
  return {};
}

void InputPipe::write_some() {
  while (!pending_.empty()) {
    const auto result = sys::try_write(pipe_, pending_);
    if (!result) return pipe_.reset();
    const std::optional<std::size_t>& wrote = *result;
    if (!wrote) return;
    pending_.erase(0, *wrote);
  }
  if (last_) pipe_.reset();
}

}  // namespace pale::service
