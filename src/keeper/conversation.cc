#include "keeper/conversation.h"

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "sys/message.h"

namespace pale::keeper {

using boost::asio::awaitable;
using boost::asio::use_awaitable;

Conversation::Conversation(const boost::asio::any_io_executor& executor, service::SessionLine line)
    : line_(std::move(line)), descriptor_(executor, line_.socket().borrow()) {}

// The line closes it.
Conversation::~Conversation() { descriptor_.release(); }

awaitable<Result<session::Tell>> Conversation::next() {
  // A host that always has something to say must not keep the loop to itself.
  co_await boost::asio::post(descriptor_.get_executor(), use_awaitable);
  for (;;) {
    const auto received = sys::receive_message(line_.socket(), sys::Waiting::No);
    if (!received) co_return std::unexpected(received.error());
    if (received->closed) co_return fail(ErrorKind::NotFound, "the session is over", "", "session_list");
    if (received->message) co_return session::parse_tell(received->message->text);
    co_await descriptor_.async_wait(boost::asio::posix::stream_descriptor::wait_read, use_awaitable);
  }
}

awaitable<std::string> read_to_end(sys::Fd pipe, std::size_t most) {
  boost::asio::posix::stream_descriptor descriptor(co_await boost::asio::this_coro::executor, pipe.release());
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() < most) {
    boost::system::error_code failed;
    const std::size_t got = co_await descriptor.async_read_some(boost::asio::buffer(buffer),
                                                                boost::asio::redirect_error(use_awaitable, failed));
    if (failed == boost::asio::error::operation_aborted) throw boost::system::system_error(failed);
    if (failed) break;
    text.append(buffer.data(), got);
  }
  co_return text;
}

}  // namespace pale::keeper
