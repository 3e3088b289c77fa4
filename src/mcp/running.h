// mcp/running.h: a request while it is being answered.
#pragma once

#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <memory>
#include <optional>
#include <string>

#include "mcp/peer.h"

namespace pale::mcp {

// Keys of _meta that the newer era defines.
inline constexpr const char* kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kMetaLevel = "io.modelcontextprotocol/logLevel";
inline constexpr const char* kMetaServer = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

std::optional<Level> level_named(std::string_view name);

class Running final : public Call {
 public:
  Running(std::shared_ptr<Peer> peer, Message message, Era era, const Principal& principal,
          std::shared_ptr<Outlet> outlet);

  const Json& id() const noexcept { return id_; }
  // What makes the request itself wrong; checked before it starts.
  std::optional<Fault> check();
  static void start(const std::shared_ptr<Running>& self, std::shared_ptr<const Method> method);
  void refuse(Fault fault, Verdict verdict);
  void cancel();
  bool is_subscription() const noexcept { return method_name_ == "subscriptions/listen"; }

  void progress(double done, std::optional<double> total, std::string_view message) override;
  void log(Level level, std::string_view logger, const Json& data) override;
  bool is_cancelled() const noexcept override { return cancelled_; }
  bool may_ask(std::string_view method) const override;
  boost::asio::awaitable<Json> ask(Json requests) override;
  void part() override { outlet_->part(); }

  // Methods of the core (mcp/core.cc).
  Json initialize();
  Json discover() const;
  Json set_level();
  boost::asio::awaitable<Json> call_tool();
  boost::asio::awaitable<Json> listen();

 protected:
  boost::asio::awaitable<void> run_on_pool(std::function<void()> work) override;

 private:
  // Thrown out of a handler of the newer era, to be its result.
  struct InputRequired {
    Json requests;
  };

  static boost::asio::awaitable<void> run(std::shared_ptr<Running> self);
  void finish(Json result);
  void finish_asking(Json requests);
  std::optional<Fault> check_newer();
  std::optional<Fault> check_answers();
  std::string purpose() const;
  void need(std::string_view method) const;
  boost::asio::awaitable<Json> ask_older(std::string method, Json params);

  std::shared_ptr<Peer> peer_;
  Json id_;
  std::string method_name_;
  Era era_;
  std::shared_ptr<Outlet> outlet_;
  std::shared_ptr<const Method> method_;
  std::shared_ptr<const Tool> tool_;  // kept while its handler runs
  Json progress_token_ = nullptr;
  Json capabilities_ = Json::object();
  std::optional<Level> level_;
  Json answers_ = Json::object();        // of the newer era: what the client was asked so far
  std::atomic<bool> cancelled_ = false;  // work on the pool looks at it
  bool over_ = false;
  boost::asio::cancellation_signal signal_;
};

}  // namespace pale::mcp
