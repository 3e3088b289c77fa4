// keeper/conversation.h: talking to a session's host without waiting for it on the loop's thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "service/sessions.h"

namespace pale::keeper {

class Conversation {
 public:
  Conversation(const boost::asio::any_io_executor& executor, service::SessionLine line);
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  ~Conversation();

  Status ask(const session::Ask& ask) const { return line_.ask(ask); }
  boost::asio::awaitable<Result<session::Tell>> next();

 private:
  service::SessionLine line_;
  boost::asio::posix::stream_descriptor descriptor_;
};

// All that comes through a pipe, to its end or to so many bytes.
boost::asio::awaitable<std::string> read_to_end(sys::Fd pipe, std::size_t most);

}  // namespace pale::keeper
