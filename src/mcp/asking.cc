// Questions to the client. The older era sends them while the request waits; the newer ends the request with them, and the client
// sends it again with the answers.
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>

#include "mcp/questions.h"
#include "mcp/running.h"

namespace pale::mcp {
namespace {

namespace asio = boost::asio;

// A person may have to answer.
constexpr std::chrono::minutes kLongest{15};

std::string capability_for(std::string_view method) {
  if (method == "elicitation/create") return "elicitation";
  if (method == "sampling/createMessage") return "sampling";
  return "roots";
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

bool Running::may_ask(std::string_view method) const {
  const auto found = capabilities_.find(capability_for(method));
  return found != capabilities_.end() && found->is_object();
}

void Running::need(std::string_view method) const {
  if (may_ask(method)) return;
  const std::string capability = capability_for(method);
  if (era_ == Era::Older) throw Fault{kInvalidRequest, "this needs a client that supports " + capability};
  Json required;
  required[capability] = Json::object();
  throw Fault{kMissingCapability, "this needs a client that supports " + capability,
              Json{{"requiredCapabilities", std::move(required)}}};
}

asio::awaitable<Json> Running::ask(Json requests) {
  Json answers = Json::object();
  Json open = Json::object();
  for (auto& request : requests.items()) {
    const auto method = request.value().at("method").get<std::string>();
    if (era_ == Era::Newer && answers_.contains(request.key())) {
      answers[request.key()] = answers_[request.key()];
      continue;
    }
    need(method);
    if (era_ == Era::Older) {
      Json answer = co_await ask_older(method, request.value().value("params", Json::object()));
      answers[request.key()] = std::move(answer);
    } else {
      open[request.key()] = request.value();
    }
  }
  if (!open.empty()) throw InputRequired{std::move(open)};
  co_return answers;
}

asio::awaitable<Json> Running::ask_older(std::string method, Json params) {
  Peer::Question question(peer_->loop_.executor());
  const std::int64_t id = ++peer_->last_question_;
  peer_->questions_.emplace(id, &question);
  struct Forget {
    Peer& peer;
    std::int64_t id;
    ~Forget() { peer.questions_.erase(id); }
  };
  const Forget forget{*peer_, id};
  question.waiting.expires_after(kLongest);
  outlet_->send(print_request(id, method, params));
  boost::system::error_code code;
  co_await question.waiting.async_wait(asio::redirect_error(asio::use_awaitable, code));
  if (question.answered) {
    if (question.answered->error.is_null()) co_return std::move(question.answered->result);
    throw Fault{kInternalError, "the client answered " + method + " with an error: " +
                                    question.answered->error.value("message", std::string("without a reason"))};
  }
  // The client need not bother its user any longer.
  outlet_->send(print_notification("notifications/cancelled", Json{{"requestId", id}}));
  if (cancelled_) throw boost::system::system_error(asio::error::operation_aborted);
  throw Fault{kInternalError, "the client did not answer " + method};
}

// What a state was given out for: the same request of the same principal, and no other.
std::string Running::purpose() const {
  Json request = params_;
  request.erase("_meta");
  request.erase("inputResponses");
  request.erase("requestState");
  return print(Json::array({principal_.name, method_name_, std::move(request)}));
}

void Running::finish_asking(Json requests) {
  const Json state{{"until", now() + std::chrono::seconds(kLongest).count()}, {"answers", answers_}};
  finish(Json{{"resultType", "input_required"},
              {"inputRequests", std::move(requests)},
              {"requestState", peer_->server_.seal().close(print(state), purpose())}});
}

// Nothing in it is believed before its seal was checked; what the client answers now is its own word.
std::optional<Fault> Running::check_answers() {
  if (params_.contains("requestState")) {
    const Json& given = params_["requestState"];
    const auto opened =
        given.is_string() ? peer_->server_.seal().open(given.get<std::string>(), purpose()) : std::nullopt;
    if (!opened) return Fault{kInvalidParams, "requestState is not what was given out for this request"};
    Json state = Json::parse(*opened);
    if (state["until"].get<std::int64_t>() < now())
      return Fault{kInvalidParams, "requestState is too old: start again"};
    answers_ = std::move(state["answers"]);
  }
  if (!params_.contains("inputResponses")) return std::nullopt;
  if (!params_["inputResponses"].is_object()) return Fault{kInvalidParams, "inputResponses must be an object"};
  for (const auto& response : params_["inputResponses"].items()) {
    if (!response.value().is_object()) {
      return Fault{kInvalidParams, "inputResponses: each answer must be an object"};
    }
    answers_[response.key()] = response.value();
  }
  return std::nullopt;
}

}  // namespace pale::mcp
