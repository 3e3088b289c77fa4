#include "mcp/running.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>

namespace pale::mcp {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kLevels[] = {"debug", "info",     "notice", "warning",
                                        "error", "critical", "alert",  "emergency"};

Json meta_of(const Json& params) {
  const auto meta = params.find("_meta");
  return meta != params.end() && meta->is_object() ? *meta : Json::object();
}

bool is_known(const std::string& version) { return version == kNewerVersion; }

}  // namespace

std::optional<Level> level_named(std::string_view name) {
  const auto* found = std::ranges::find(kLevels, name);
  if (found == std::end(kLevels)) return std::nullopt;
  return static_cast<Level>(found - std::begin(kLevels));
}

Running::Running(std::shared_ptr<Peer> peer, Message message, Era era, const Principal& principal,
                 std::shared_ptr<Outlet> outlet)
    : peer_(std::move(peer)),
      id_(std::move(message.id)),
      method_name_(std::move(message.method)),
      era_(era),
      outlet_(std::move(outlet)),
      capabilities_(peer_->capabilities_),
      level_(peer_->level_) {
  params_ = std::move(message.params);
  principal_ = principal;
  const Json meta = meta_of(params_);
  const Json token = meta.value("progressToken", Json());
  if (token.is_string() || token.is_number_integer()) progress_token_ = token;
}

std::optional<Fault> Running::check() {
  if (era_ == Era::Newer) return check_newer();
  const bool opens = method_name_ == "initialize" || method_name_ == "ping";
  if (!opens && !peer_->is_initialized()) return Fault{kInvalidRequest, "the first request must be \"initialize\""};
  if (method_name_ == "initialize" && peer_->is_initialized()) return Fault{kInvalidRequest, "initialized already"};
  return std::nullopt;
}

std::optional<Fault> Running::check_newer() {
  const Json meta = meta_of(params_);
  if (!meta.contains(kMetaVersion) || !meta[kMetaVersion].is_string()) {
    return Fault{kInvalidParams, std::string("params._meta needs \"") + kMetaVersion + "\""};
  }
  const auto version = meta[kMetaVersion].get<std::string>();
  if (!is_known(version)) {
    return Fault{kUnsupportedVersion, "this version of the protocol is not spoken here",
                 Json{{"supported", Json::array({kNewerVersion})}, {"requested", version}}};
  }
  if (!meta.contains(kMetaCapabilities) || !meta[kMetaCapabilities].is_object()) {
    return Fault{kInvalidParams, std::string("params._meta needs \"") + kMetaCapabilities + "\", an object"};
  }
  capabilities_ = meta[kMetaCapabilities];
  level_ = std::nullopt;
  const Json level = meta.value(kMetaLevel, Json());
  if (level.is_string()) level_ = level_named(level.get<std::string>());
  return check_answers();
}

void Running::start(const std::shared_ptr<Running>& self, std::shared_ptr<const Method> method) {
  self->method_ = std::move(method);
  asio::co_spawn(self->peer_->loop_.executor(), run(self),
                 asio::bind_cancellation_slot(self->signal_.slot(), [self](const std::exception_ptr&) {
                   // However it ended, the client is not left waiting.
                   if (!self->over_) self->refuse({kInternalError, "the request failed"}, Verdict::Answered);
                   self->peer_->ended(*self);
                 }));
}

asio::awaitable<void> Running::run(std::shared_ptr<Running> self) {
  std::optional<Fault> fault;
  Verdict verdict = Verdict::Answered;
  try {
    Json result = co_await self->method_->answer(*self);
    self->finish(std::move(result));
  } catch (InputRequired& asked) {
    self->finish_asking(std::move(asked.requests));
  } catch (Fault& thrown) {
    fault = std::move(thrown);
    if (fault->code == kMissingCapability) verdict = Verdict::Malformed;
  } catch (const boost::system::system_error& error) {
    if (!self->cancelled_) fault = Fault{kInternalError, "the request failed: " + error.code().message()};
  } catch (const std::exception& error) {
    fault = Fault{kInternalError, std::string("the request failed: ") + error.what()};
  }
  if (fault) self->refuse(std::move(*fault), verdict);
  if (self->cancelled_ && !self->over_) {
    self->over_ = true;
    self->outlet_->abandon();
  }
}

void Running::finish(Json result) {
  if (cancelled_ || over_) return;
  over_ = true;
  if (era_ == Era::Older) return outlet_->finish(print_result(id_, result), Verdict::Answered);
  Json whole{{"resultType", "complete"}};
  whole.update(result);
  if (method_->caching == Caching::Private && whole["resultType"] == "complete") {
    // What is listed depends on who asks.
    whole["ttlMs"] = 60'000;
    whole["cacheScope"] = "private";
  }
  whole["_meta"][kMetaServer] = peer_->server_.identity();
  outlet_->finish(print_result(id_, whole), Verdict::Answered);
}

void Running::refuse(Fault fault, Verdict verdict) {
  if (cancelled_ || over_) return;
  over_ = true;
  fault.id = id_;
  outlet_->finish(print_error(fault), era_ == Era::Newer ? verdict : Verdict::Answered);
}

void Running::cancel() {
  // A client may not take back its first request.
  if (cancelled_ || over_ || method_name_ == "initialize") return;
  cancelled_ = true;
  signal_.emit(asio::cancellation_type::terminal);
}

void Running::progress(double done, std::optional<double> total, std::string_view message) {
  if (progress_token_.is_null() || cancelled_ || over_ || outlet_->is_behind()) return;
  Json params{{"progressToken", progress_token_}, {"progress", done}};
  if (total) params["total"] = *total;
  if (!message.empty()) params["message"] = message;
  outlet_->send(print_notification("notifications/progress", params));
}

void Running::log(Level level, std::string_view logger, const Json& data) {
  if (!level_ || level < *level_ || cancelled_ || over_) return;
  const Json params{{"level", kLevels[static_cast<std::size_t>(level)]}, {"logger", logger}, {"data", data}};
  outlet_->send(print_notification("notifications/message", params));
}

asio::awaitable<void> Running::run_on_pool(std::function<void()> work) {
  co_await peer_->loop_.run_on_pool(std::move(work));
}

}  // namespace pale::mcp
