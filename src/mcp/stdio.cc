#include "mcp/stdio.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <deque>

#include "mcp/peer.h"

namespace pale::mcp {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// The numbers are the kernel's; asio takes them plain.
constexpr int kInterrupt = 2;
constexpr int kBrokenPipe = 13;
constexpr int kTerminate = 15;

// All messages share one output; each is written whole, in the order in which it came.
class LineWriter {
 public:
  LineWriter(const asio::any_io_executor& executor, int output, std::size_t most)
      : output_(executor, output), drained_(executor), most_(most) {}
  ~LineWriter() {
    error_code ignored;
    output_.native_non_blocking(false, ignored);  // as it was found: others may share it
    output_.release();
  }

  void write(std::string message) {
    if (broken_) return;
    // By what waited before: one answer may be as large as it is.
    if (unsent_ > most_) return give_up();
    message += '\n';
    unsent_ += message.size();
    lines_.push_back(std::move(message));
    if (lines_.size() == 1) write_first();
  }
  bool is_empty() const noexcept { return lines_.empty(); }
  // Also with nothing to be written it is noticed when nobody reads any more. Of a file that is never said.
  void watch_reader() {
    output_.async_wait(asio::posix::stream_descriptor::wait_error, [this](const error_code& failed) {
      if (!failed) give_up();
    });
  }
  std::size_t unsent() const noexcept { return unsent_; }
  asio::steady_timer& drained() noexcept { return drained_; }
  std::function<void()> when_broken;

 private:
  void write_first() {
    asio::async_write(output_, asio::buffer(lines_.front()), [this](const error_code& failed, std::size_t) {
      if (failed) return give_up();
      unsent_ -= lines_.front().size();
      lines_.pop_front();
      if (!lines_.empty()) return write_first();
      drained_.cancel();
    });
  }
  void give_up() {
    if (broken_) return;
    broken_ = true;
    error_code ignored;
    output_.cancel(ignored);
    drained_.cancel();
    if (when_broken) when_broken();
  }

  asio::posix::stream_descriptor output_;
  asio::steady_timer drained_;
  std::deque<std::string> lines_;
  std::size_t unsent_ = 0;
  std::size_t most_;
  bool broken_ = false;
};

class LineOutlet final : public Outlet {
 public:
  explicit LineOutlet(LineWriter& writer) : writer_(writer) {}
  void send(std::string message) override { writer_.write(std::move(message)); }
  void finish(std::string response, Verdict) override { writer_.write(std::move(response)); }
  void abandon() override {}
  bool is_behind() const noexcept override { return writer_.unsent() > kMuchUnsent; }

 private:
  LineWriter& writer_;
};

class StdioService {
 public:
  StdioService(Loop& loop, Server& server, const StdioOptions& options)
      : loop_(loop),
        options_(options),
        input_(loop.executor(), options.input),
        writer_(loop.executor(), options.output, options.unsent),
        outlet_(std::make_shared<LineOutlet>(writer_)),
        peer_(std::make_shared<Peer>(loop, server, options.running)),
        signals_(loop.executor(), kInterrupt, kTerminate, kBrokenPipe),
        idle_(loop.executor()) {
    peer_->set_general_outlet(outlet_);
    writer_.when_broken = [this] { stop_reading(); };
  }
  ~StdioService() {
    error_code ignored;
    input_.native_non_blocking(false, ignored);
    input_.release();
  }

  void start() {
    loop_.spawn(serve());
    watch_signals();
  }

 private:
  asio::awaitable<void> serve() {
    LineReader lines(options_.bounds.bytes);
    std::array<char, 65536> buffer;
    while (!stopped_) {
      error_code failed;
      const std::size_t size =
          co_await input_.async_read_some(asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, failed));
      if (failed) break;
      lines.feed({buffer.data(), size});
      while (const auto line = lines.next()) take_safely(*line);
    }
    if (!stopped_) co_await let_finish();
    co_await finish();
  }

  // Nothing more is asked, and whoever reads is answered what he has asked: unless a signal comes.
  asio::awaitable<void> let_finish() {
    writer_.watch_reader();
    co_await wait_until_idle();
  }

  asio::awaitable<void> wait_until_idle() {
    error_code ignored;
    idle_.expires_after(std::chrono::seconds(options_.grace_seconds));
    peer_->when_idle([this] { idle_.cancel(); });
    if (peer_->running() != 0) co_await idle_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    peer_->when_idle({});
  }

  void take_safely(const LineReader::Line& line) {
    try {
      take(line);
    } catch (const std::exception&) {  // out of memory: the client hears the end, not silence
      stop_reading();
    }
  }

  void take(const LineReader::Line& line) {
    if (line.too_long) {
      const std::string most = std::to_string(options_.bounds.bytes);
      return writer_.write(print_error({kInvalidRequest, "the message is larger than " + most + " bytes"}));
    }
    if (line.text.find_first_not_of(" \t") == std::string::npos) return;
    auto message = parse_message(line.text, options_.bounds);
    if (!message) return writer_.write(print_error(message.error()));
    const Era era = era_of(*message);
    peer_->receive(std::move(*message), era, options_.principal, outlet_);
  }

  // Calls end first, then what they still had to say is written.
  asio::awaitable<void> finish() {
    peer_->cancel_all();
    co_await wait_until_idle();
    error_code ignored;
    writer_.drained().expires_after(std::chrono::seconds(2));
    if (!writer_.is_empty()) {
      co_await writer_.drained().async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    signals_.cancel(ignored);
    loop_.stop();
  }

  void watch_signals() {
    signals_.async_wait([this](const error_code& failed, int signal) {
      if (failed) return;
      // A broken pipe is seen where it is written to.
      if (signal == kBrokenPipe) return watch_signals();
      stop_reading();
    });
  }

  void stop_reading() {
    stopped_ = true;
    error_code ignored;
    input_.cancel(ignored);
    idle_.cancel();
  }

  Loop& loop_;
  const StdioOptions& options_;
  asio::posix::stream_descriptor input_;
  LineWriter writer_;
  std::shared_ptr<LineOutlet> outlet_;
  std::shared_ptr<Peer> peer_;
  asio::signal_set signals_;
  asio::steady_timer idle_;
  bool stopped_ = false;
};

}  // namespace

Status serve_stdio(Loop& loop, Server& server, const StdioOptions& options) {
  try {
    StdioService service(loop, server, options);
    service.start();
    loop.run();
    return {};
  } catch (const boost::system::system_error& error) {
    return fail(Error{ErrorKind::System, error.code().value(), "serve", "standard input and output", {}, {}});
  } catch (const std::exception& error) {
    return fail(ErrorKind::System, std::string("serve (") + error.what() + ")", "standard input and output");
  }
}

}  // namespace pale::mcp
