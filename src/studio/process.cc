#include "studio/process.h"

#include <fcntl.h>

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "studio/endpoints.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::studio {
namespace {

using boost::asio::awaitable;

constexpr std::size_t kMostAnswer = 64UL << 20U;
constexpr std::size_t kMostAsked = 64UL << 20U;

struct Started {
  sys::Pid process;
  sys::Fd output;
};

Result<Started> start(const sys::Fd& program, const service::Caller& caller, const std::string& text) {
  std::string name = "pale";
  std::string command = "studio-work";
  char* argv[] = {name.data(), command.data(), nullptr};
  PALE_TRY(input, sys::make_memory_file("asked", text));
  PALE_TRY(null, sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR));
  PALE_TRY(output, sys::open_pipe());
  const sys::ProgramStart how{program, argv, caller.envp, input.borrow(), output.write_end.borrow(), null.borrow()};
  PALE_TRY(process, sys::start_program(how));
  return Started{process, std::move(output.read_end)};
}

awaitable<std::string> read_to_end(sys::Fd pipe) {
  boost::asio::posix::stream_descriptor descriptor(co_await boost::asio::this_coro::executor, pipe.release());
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() < kMostAnswer) {
    boost::system::error_code failed;
    const std::size_t got = co_await descriptor.async_read_some(
        boost::asio::buffer(buffer), boost::asio::redirect_error(boost::asio::use_awaitable, failed));
    if (failed == boost::asio::error::operation_aborted) throw boost::system::system_error(failed);
    if (failed) break;
    text.append(buffer.data(), got);
  }
  co_return text;
}

Answer parse_answer(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("answer")) return std::move(json["answer"]);
  if (!json.is_object() || !json.contains("error"))
    return refuse({500, "system", "the work ended without an answer", "pale doctor"});
  const Json& error = json["error"];
  return refuse({json.value("status", 500), error.value("code", ""), error.value("message", ""),
                 error.value("hint", ""), error.value("details", Json())});
}

Answer carry_out(const service::Caller& caller) {
  sys::Fd input(0);
  PALE_TRY(info, sys::file_info(input));
  std::string text(std::min<std::size_t>(info.size, kMostAsked), '\0');
  text.resize(sys::read_at(input, 0, text));
  (void)input.release();  // Its number is nobody else's.
  const auto asked = parse_asked(text);
  const Endpoint* endpoint = asked ? find_endpoint(asked->operation) : nullptr;
  const Work* work = endpoint != nullptr ? std::get_if<Work>(&endpoint->how) : nullptr;
  if (work == nullptr) return refuse({400, "usage", "this is no work of Studio's", "pale studio"});
  try {
    return (*work)(*asked, caller);
  } catch (const std::exception& error) {
    return refuse({500, "system", error.what(), "pale doctor"});
  }
}

}  // namespace

awaitable<Answer> do_elsewhere(mcp::Loop& loop, const sys::Fd& program, const service::Caller& caller,
                               std::string text) {
  auto started = start(program, caller, text);
  if (!started) co_return refuse(Fault(started.error()));
  const std::string output = co_await read_to_end(std::move(started->output));
  // It may live on for a moment.
  co_await loop.run_on_pool([&] { (void)sys::wait_for(started->process); });
  co_return parse_answer(output);
}

int work_here(const service::Caller& caller) {
  const Answer answer = carry_out(caller);
  Json json;
  if (answer) {
    json["answer"] = *answer;
  } else {
    json = to_json(answer.error());
    json["status"] = answer.error().status;
  }
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return sys::write_all(1, text) ? 0 : 1;
}

}  // namespace pale::studio
