#include "mcp/loop.h"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace pale::mcp {

namespace asio = boost::asio;

struct Loop::Parts {
  explicit Parts(unsigned threads) : pool(threads) {}
  asio::io_context context{1};
  asio::thread_pool pool;
};

Loop::Loop(unsigned pool_threads) : parts_(std::make_unique<Parts>(pool_threads)) {}

Loop::~Loop() { parts_->pool.join(); }

asio::any_io_executor Loop::executor() const { return parts_->context.get_executor(); }

void Loop::spawn(asio::awaitable<void> work) { asio::co_spawn(parts_->context, std::move(work), asio::detached); }

asio::awaitable<void> Loop::run_on_pool(std::function<void()> work) {
  // No cancellation on the way: whoever waits here is referred to by the work.
  auto start = [&](auto handler) {
    auto back = asio::get_associated_executor(handler);
    asio::post(parts_->pool, [&work, back, guard = asio::make_work_guard(back), done = std::move(handler)]() mutable {
      work();
      asio::post(back, std::move(done));
    });
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(start, asio::use_awaitable);
}

void Loop::run() {
  if (parts_->context.stopped()) parts_->context.restart();
  parts_->context.run();
}

void Loop::stop() { parts_->context.stop(); }

}  // namespace pale::mcp
