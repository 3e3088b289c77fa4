#include "service/session_run.h"

#include "sys/event.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostPending = 1UL << 20U;

}  // namespace

Result<OpenedRun> open_run() {
  PALE_TRY(input, sys::open_pipe());
  PALE_TRY(output, sys::open_pipe());
  PALE_TRY(errors, sys::open_pipe());
  for (const sys::Fd* ours : {&input.write_end, &output.read_end, &errors.read_end})
    PALE_CHECK(sys::set_nonblocking(*ours));
  return OpenedRun{{std::move(input.read_end), std::move(output.write_end), std::move(errors.write_end)},
                   std::move(input.write_end),
                   std::move(output.read_end),
                   std::move(errors.read_end)};
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
    const auto wrote = sys::try_write(pipe_, pending_);
    if (!wrote) return pipe_.reset();
    if (!*wrote) return;
    pending_.erase(0, **wrote);
  }
  if (last_) pipe_.reset();
}

}  // namespace pale::service
