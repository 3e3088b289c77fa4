// mcp/loop.h: the one thread on which all calls are answered, and a few more for work that blocks.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>

namespace pale::mcp {

// Declare it after whatever handlers refer to: coroutines that have not ended go with it.
class Loop {
 public:
  explicit Loop(unsigned pool_threads = 4);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();  // waits for work on the pool

  boost::asio::any_io_executor executor() const;
  // Starts a coroutine of the owner's: housekeeping, watching. It ends with the loop at the latest.
  void spawn(boost::asio::awaitable<void> work);
  boost::asio::awaitable<void> run_on_pool(std::function<void()> work);

  void run();   // until there is nothing to do, or stop(); may be run again
  void stop();  // from any thread

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pale::mcp
