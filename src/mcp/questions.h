// mcp/questions.h: a question to a client of the older era, and the coroutine that waits for its answer.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <optional>

#include "mcp/message.h"
#include "mcp/peer.h"

namespace pale::mcp {

struct Peer::Question {
  explicit Question(const boost::asio::any_io_executor& executor) : waiting(executor) {}
  void answer(Message message) {
    if (!answered) answered = std::move(message);
    waiting.expires_at(boost::asio::steady_timer::time_point::min());  // ends the wait, even one that has not begun
  }
  boost::asio::steady_timer waiting;  // runs out when nobody answers
  std::optional<Message> answered;
};

}  // namespace pale::mcp
