#include "mcp/http_service.h"

#include <algorithm>

#include "mcp/http_rules.h"

namespace pale::mcp {
namespace {

Session::Time now() { return std::chrono::steady_clock::now(); }

HttpReply with(HttpReply reply, std::string name, std::string value) {
  reply.headers.emplace_back(std::move(name), std::move(value));
  return reply;
}

HttpReply faulty(int status, const Fault& fault) { return {.status = status, .body = print_error(fault)}; }

// 2025-03-26 is what a client without the header is taken for, so one that says it is no worse.
bool is_older_version(std::string_view version) {
  return version == "2025-03-26" || std::ranges::find(kOlderVersions, version) != std::end(kOlderVersions);
}

// The body decides; the header does where the body does not say what it must.
Era era_of(const HttpRequest& request, const Message& message) {
  if (mcp::era_of(message) == Era::Newer) return Era::Newer;
  const std::string_view version = request.header("mcp-protocol-version");
  return version.empty() || is_older_version(version) || message.method == "initialize" ? Era::Older : Era::Newer;
}

bool matches(const Route& route, const std::string& path) {
  if (!route.path.ends_with('*')) return path == route.path;
  return path.starts_with(std::string_view(route.path).substr(0, route.path.size() - 1));
}

}  // namespace

HttpReply refusal(int status, const std::string& sentence) { return faulty(status, {kInvalidRequest, sentence}); }

HttpService::HttpService(Loop& loop, Server& server, const HttpOptions& options)
    : loop_(loop),
      server_(server),
      options_(options),
      sessions_(options.limits.sessions, options.limits.session_time),
      rate_(options.limits.requests_per_second, options.limits.burst) {}

const Route* HttpService::route(const HttpRequest& request) const {
  for (const Route& route : options_.routes) {
    if (route.method == request.method && matches(route, request.path)) return &route;
  }
  return nullptr;
}

HttpReply HttpService::refuse(const HttpRequest& request, int status, const std::string& sentence) const {
  if (options_.refusal) {
    if (auto reply = options_.refusal(request, status, sentence)) return std::move(*reply);
  }
  return mcp::refusal(status, sentence);
}

std::optional<HttpReply> HttpService::vet(HttpRequest& request) {
  const std::string_view host = request.header("host");
  std::vector<std::string> hosts = options_.hosts;
  hosts.push_back(options_.address);
  const auto given = std::ranges::count_if(request.headers, [](const auto& header) { return header.first == "host"; });
  if (given != 1 || !is_own_host(host, request.local, hosts))
    return refuse(request, 403, "the header Host names another place");
  const bool from_page =
      std::ranges::any_of(request.headers, [](const auto& header) { return header.first == "origin"; });
  if (from_page && !is_own_origin(request.header("origin"), host, options_.origins)) {
    return refuse(request, 403, "the header Origin names another site");
  }
  const Route* asked = has_path(request) ? nullptr : route(request);
  if (!has_path(request) && asked == nullptr) return refuse(request, 404, "there is nothing at this path");
  auto refused = check_caller(request, asked);
  // Those who are refused share one bucket: nobody who is let in ever waits for them.
  const bool counts = request.principal || refused;
  auto waits = counts ? check_rate(request) : std::nullopt;
  return waits ? std::move(waits) : std::move(refused);
}

std::optional<HttpReply> HttpService::check_caller(HttpRequest& request, const Route* asked) {
  if (asked == nullptr || asked->access == Route::Access::Token) return check_token(request);
  return asked->vet ? asked->vet(request) : std::nullopt;
}

std::optional<HttpReply> HttpService::check_token(HttpRequest& request) {
  if (!options_.authenticate) {
    request.principal = options_.anonymous;
    return std::nullopt;
  }
  const auto token = bearer_token(request.header("authorization"));
  if (!token)
    return with(refusal(401, "a token is needed: Authorization: Bearer …"), "WWW-Authenticate",
                "Bearer realm=\"pale\"");
  request.principal = options_.authenticate(*token);
  if (request.principal) return std::nullopt;
  return with(refusal(401, "this token is not known"), "WWW-Authenticate",
              "Bearer realm=\"pale\", error=\"invalid_token\"");
}

std::optional<HttpReply> HttpService::check_rate(const HttpRequest& request) {
  const auto wait = rate_.take(request.principal ? request.principal->name : std::string(), now());
  if (!wait) return std::nullopt;
  return refuse_busy(request, "too many requests", std::chrono::ceil<std::chrono::seconds>(*wait));
}

HttpReply HttpService::refuse_busy(const HttpRequest& request, const std::string& sentence,
                                   std::chrono::seconds wait) const {
  return with(refuse(request, 429, sentence), "Retry-After", std::to_string(wait.count()));
}

HttpService::Outcome HttpService::answer(const HttpRequest& request) {
  const std::string& owner = request.principal->name;
  const auto open = open_.find(owner);
  if (open != open_.end() && open->second >= options_.limits.calls_per_principal) {
    return refuse_busy(request, "too many requests at a time");
  }
  Outcome outcome = dispatch(request);
  if (auto* streaming = std::get_if<Streaming>(&outcome)) {
    streaming->owner = owner;
    ++open_[owner];
  }
  return outcome;
}

HttpService::Outcome HttpService::dispatch(const HttpRequest& request) {
  if (request.method == "POST") return post(request);
  const bool in_session = !request.header("mcp-session-id").empty();
  if (request.method == "GET" && in_session) return get(request);
  if (request.method == "DELETE" && in_session) return remove(request);
  return with(refusal(405, "use POST; GET and DELETE are for sessions"), "Allow", "POST, GET, DELETE");
}

HttpService::Outcome HttpService::post(const HttpRequest& request) {
  if (!is_json(request.header("content-type"))) return refusal(415, "send application/json");
  const std::string_view accept = request.header("accept");
  if (!accepts(accept, "application/json") && !accepts(accept, "text/event-stream")) {
    return refusal(406, "accept application/json and text/event-stream");
  }
  auto message = parse_message(request.body, options_.bounds);
  if (!message) return faulty(400, message.error());
  if (era_of(request, *message) == Era::Newer) return post_newer(request, std::move(*message));
  return post_older(request, std::move(*message));
}

HttpService::Outcome HttpService::post_newer(const HttpRequest& request, Message message) {
  if (message.kind == MessageKind::Response) return refusal(400, "this era has no responses of clients");
  if (message.kind == MessageKind::Notification) return HttpReply{.status = 202};
  auto fault = check_headers(request, message);
  if (!fault && message.method == "tools/call") {
    const Json name = message.params.value("name", Json());
    const auto tool = name.is_string() ? server_.find(name.get<std::string>(), *request.principal) : nullptr;
    if (tool) fault = check_param_headers(request, tool->input_schema, message.params.value("arguments", Json()));
  }
  if (fault) {
    fault->id = message.id;
    return faulty(400, *fault);
  }
  Streaming streaming;
  streaming.stream = std::make_shared<Stream>(settings_for(request));
  streaming.peer = std::make_shared<Peer>(loop_, server_, 1);
  streaming.peer->receive(std::move(message), Era::Newer, *request.principal, streaming.stream);
  return streaming;
}

HttpService::Outcome HttpService::initialize(const HttpRequest& request, Message message) {
  if (message.kind != MessageKind::Request) return refusal(400, "initialize is a request");
  const auto session = sessions_.open(request.principal->name,
                                      std::make_shared<Peer>(loop_, server_, options_.limits.calls_per_session), now());
  if (!session) return with(refusal(503, "too many sessions"), "Retry-After", "10");
  Streaming streaming;
  streaming.stream = session->open_stream(settings_for(request));
  streaming.session = session;
  session->peer().receive(std::move(message), Era::Older, *request.principal, streaming.stream);
  if (session->peer().is_initialized()) {
    streaming.headers.emplace_back("Mcp-Session-Id", session->id());
  } else {
    sessions_.close(session->id());
  }
  return streaming;
}

HttpService::Outcome HttpService::post_older(const HttpRequest& request, Message message) {
  if (message.method == "initialize") return initialize(request, std::move(message));
  const std::string_view id = request.header("mcp-session-id");
  if (id.empty()) return refusal(400, "initialize first, then send the header Mcp-Session-Id");
  const auto session = session_of(request);
  if (!session) return refusal(404, "there is no such session");
  if (message.kind != MessageKind::Request) {
    session->peer().receive(std::move(message), Era::Older, *request.principal, nullptr);
    return HttpReply{.status = 202};
  }
  Stream::Settings settings = settings_for(request);
  settings.resumable = true;
  settings.primed = session->peer().version() != "2025-06-18";  // clients before that take each event for a message
  Streaming streaming;
  streaming.stream = session->open_stream(settings);
  streaming.session = session;
  session->peer().receive(std::move(message), Era::Older, *request.principal, streaming.stream);
  return streaming;
}

HttpService::Outcome HttpService::get(const HttpRequest& request) {
  const auto session = session_of(request);
  if (!session) return refusal(404, "there is no such session");
  if (!accepts(request.header("accept"), "text/event-stream")) return refusal(406, "accept text/event-stream");
  Streaming streaming;
  streaming.session = session;
  const std::string_view last = request.header("last-event-id");
  if (!last.empty()) {
    const auto event = parse_event_id(last);
    streaming.stream = event ? session->find_stream(event->stream) : nullptr;
    if (!streaming.stream) return refusal(404, "nothing is kept of this stream");
    streaming.cursor = event->event + 1;
    return streaming;
  }
  Stream::Settings settings = settings_for(request);
  settings.resumable = true;
  settings.primed = session->peer().version() != "2025-06-18";
  streaming.stream = session->open_general_stream(settings);
  return streaming;
}

HttpReply HttpService::remove(const HttpRequest& request) {
  const auto session = session_of(request);
  if (!session) return refusal(404, "there is no such session");
  sessions_.close(session->id());
  return {.status = 204};
}

std::shared_ptr<Session> HttpService::session_of(const HttpRequest& request) {
  return sessions_.find(std::string(request.header("mcp-session-id")), request.principal->name, now());
}

Stream::Settings HttpService::settings_for(const HttpRequest& request) const {
  const std::string_view accept = request.header("accept");
  return {.may_stream = accepts(accept, "text/event-stream"), .most = options_.limits.unsent};
}

void HttpService::end(const Streaming& streaming) {
  if (--open_[streaming.owner] == 0) open_.erase(streaming.owner);
  // The newer era takes a closed connection for a cancellation; the older does not, and may come back for the rest.
  if (streaming.peer) streaming.peer->cancel_all();
  if (!streaming.session) return;
  streaming.session->touch(now());
  if (streaming.stream->is_over() && !streaming.stream->is_streaming()) streaming.session->forget(*streaming.stream);
}

void HttpService::sweep() {
  sessions_.sweep(now());
  rate_.sweep(now());
}

void HttpService::end_streams() {
  sessions_.for_each([](Session& session) { session.end_general_stream(); });
}

void HttpService::cancel_all() {
  sessions_.for_each([](Session& session) { session.peer().cancel_all(); });
}

bool HttpService::is_idle() {
  bool idle = true;
  sessions_.for_each([&](Session& session) { idle = idle && session.peer().running() == 0; });
  return idle;
}

}  // namespace pale::mcp
