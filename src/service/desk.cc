#include "service/desk.h"

#include "service/desk_loop.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/message.h"

namespace pale::service {
namespace {

// What it has open: nothing to read, nothing to write to but errors, and its end of the line.
constexpr int kInput = 0, kOutput = 1, kLine = 3, kFirstOther = 4;

Status stand_apart(const sys::Fd& line) {
  (void)sys::block_signals(0);
  PALE_CHECK(sys::die_with_parent());
  // The terminal is the client's, if there is one.
  PALE_CHECK(sys::new_session());
  PALE_TRY(nothing, sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR));
  const int apart = nothing.borrow();
  if (line.borrow() != kLine) PALE_CHECK(sys::place_descriptor(line.borrow(), kLine));
  for (const int stream : {kInput, kOutput}) PALE_CHECK(sys::place_descriptor(apart, stream));
  return {};
}

[[noreturn]] void be_desk(const sys::Fd& line, const Prepared& prepared, const Request& request, const Caller& caller,
                          const sandbox::Observed& tools) {
  if (!stand_apart(line)) sys::exit_now(1);
  sys::close_from(kFirstOther);
  DeskLoop(sys::Fd(kLine), prepared, request, caller, tools).run();
  sys::exit_now(0);
}

}  // namespace

Result<Desk> Desk::open(const Prepared& prepared, const Request& request, const Caller& caller,
                        const sandbox::Observed& tools) {
  PALE_TRY(line, sys::make_stream_pair());
  PALE_TRY(child, sys::fork_into(0));
  if (child.pid == 0) be_desk(line.first, prepared, request, caller, tools);
  return Desk(std::move(line.second), std::move(child));
}

void Desk::close() noexcept {
  if (!line_.is_open()) return;
  line_.reset();
  (void)sys::wait_for(process_.pid);
}

}  // namespace pale::service
