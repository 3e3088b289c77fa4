#include "studio/studio.h"

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "history/access.h"
#include "mcp/http_rules.h"
#include "mcp/schema.h"
#include "service/approvals.h"
#include "studio/assets.h"
#include "studio/process.h"
#include "studio/request.h"

namespace pale::studio {
namespace {

using boost::asio::awaitable;
using mcp::HttpReply;
using mcp::HttpRequest;

constexpr std::size_t kMostWorking = 64;
constexpr const char* kPageName = "studio page";

HttpReply reply_of(Fault fault) { return to_reply(Answer(std::unexpect, std::move(fault))); }

Fault unauthorized(std::string message) { return {401, "unauthorized", std::move(message), "pale studio"}; }

// Whether its scopes let somebody do it. A token of one managed project reaches that alone, never a local one of the same name.
std::optional<Fault> check_access(const Endpoint& endpoint, const Asked& asked, const Records& records) {
  const auto access = history::Access::from_scopes(asked.scopes).value_or(history::Access());
  if (access.may_manage()) return std::nullopt;
  Fault no(403, "refused", "this token may not do that", "pale token create --scope admin");
  if (endpoint.need == Need::Manage) return no;
  if (access.may_read_all()) return endpoint.need == Need::Read ? std::nullopt : std::optional(no);
  if (endpoint.about == About::Nothing)
    return endpoint.path == "/me" || endpoint.path == "/openapi.json" ? std::nullopt : std::optional(no);
  const auto place = records.project(asked.project);
  const bool readable = place && place->is_managed && access.may_read(asked.project);
  if (!readable) return Fault(404, "not_found", "there is no project " + asked.project, "GET /projects");
  return endpoint.need == Need::Read || access.may_write(asked.project) ? std::nullopt : std::optional(no);
}

// What the table and the document say that a request must be.
std::optional<Fault> read_request(const Endpoint& endpoint, const HttpRequest& request, const mcp::Bounds& bounds,
                                  Asked& asked) {
  const auto query = parse_query(request.query);
  if (!query) return Fault(400, "usage", "the address is not well formed", "");
  asked.query = *query;
  if (endpoint.about == About::Project) {
    asked.project = asked.text("project_id");
    if (asked.project.empty())
      return Fault(400, "project_required", "which project is not said: project_id is missing", "GET /projects");
  }
  const Json& schema = body_schema(endpoint);
  if (schema.is_null()) return std::nullopt;
  if (!mcp::is_json(request.header("content-type")))
    return Fault(415, "usage", "send application/json", "Content-Type: application/json");
  auto body = mcp::parse_json(request.body, bounds);
  if (!body) return Fault(400, "usage", body.error().message, "");
  asked.body = std::move(*body);
  if (const auto wrong = mcp::check_schema(schema, asked.body)) return Fault(400, "usage", *wrong, "");
  return std::nullopt;
}

// A browser sends the cookie whoever makes it ask, so more is needed than that.
std::optional<HttpReply> vet_page(HttpRequest& request, const Page& page) {
  if (!comes_from_own_page(request))
    return reply_of({403, "refused", "another site asks with this page's cookie", "pale studio"});
  if (request.method != "GET" && !same_secret(request.header(kCsrfHeader), page.csrf))
    return reply_of({403, "csrf", "the header X-Pale-CSRF is missing or not this page's", "reload the page"});
  request.principal = mcp::Principal{kPageName, {"admin"}};
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Studio>> Studio::open(mcp::Loop& loop, const Settings& settings) {
  PALE_TRY(records, Records::open(settings.pale_home, settings.caller));
  std::unique_ptr<Studio> studio(new Studio(loop, settings, std::move(records)));
  loop.spawn(studio->hub_.look());
  return studio;
}

void Studio::join(mcp::HttpOptions& options) {
  authenticate_ = options.authenticate;
  bounds_ = options.bounds;
  for (const char* method : {"GET", "POST", "PUT", "DELETE"}) {
    mcp::Route route;
    route.method = method;
    route.path = "/*";
    route.access = mcp::Route::Access::Open;
    route.vet = [this](HttpRequest& request) { return vet(request); };
    route.answer = [this](const HttpRequest& request) { return answer(request); };
    options.routes.push_back(std::move(route));
  }
  options.refusal = [mcp = options.path](const HttpRequest& request, int status,
                                         const std::string& sentence) -> std::optional<HttpReply> {
    if (request.path == mcp) return std::nullopt;
    if (status == 429) return reply_of({status, "busy", sentence, "try again in a moment"});
    return reply_of({status, status == 404 ? "not_found" : "refused", sentence, "pale studio"});
  };
}

// Before a byte of the body is read. The page's own files are no secret; all else needs somebody who came in.
std::optional<HttpReply> Studio::vet(HttpRequest& request) {
  if (!is_api(request.path)) return std::nullopt;
  if (const auto token = mcp::bearer_token(request.header("authorization"))) {
    request.principal = authenticate_ ? authenticate_(*token) : std::nullopt;
    if (request.principal) return std::nullopt;
    return reply_of(unauthorized("this token is not known"));
  }
  const Page* page = door_.find(cookie_of(request), service::now_ms());
  if (page == nullptr) return reply_of(unauthorized("this page has not come in by a link, or its time is over"));
  return vet_page(request, *page);
}

awaitable<HttpReply> Studio::answer(const HttpRequest& request) {
  if (is_api(request.path)) {
    HttpReply reply = co_await answer_api(request);
    co_return reply;
  }
  if (request.method != "GET") co_return reply_of({405, "usage", "there is nothing to change here", ""});
  if (request.path == "/enter") co_return enter(request);
  co_return page_file(request);
}

HttpReply Studio::enter(const HttpRequest& request) {
  const auto query = parse_query(request.query);
  Asked asked;
  if (query) asked.query = *query;
  const auto cookie = door_.enter(asked.text("key"), service::now_ms());
  if (!cookie) return refused_page(cookie.error());
  HttpReply reply{.status = 303};
  reply.headers.emplace_back("Location", "/");
  reply.headers.emplace_back("Set-Cookie",
                             std::string(kCookie) + "=" + *cookie + "; Path=/; HttpOnly; SameSite=Strict");
  add_page_headers(reply);
  return reply;
}

Answer Studio::answer_own(Own own, const Asked& asked, const HttpRequest& request) {
  if (own == Own::Me)
    return Json{{"user", asked.user}, {"version", settings_.version}, {"csrf", asked.csrf}, {"scopes", asked.scopes}};
  door_.leave(cookie_of(request));
  return Json{{"done", true}};
}

awaitable<HttpReply> Studio::answer_api(const HttpRequest& request) {
  const bool here = request.path.starts_with(kApi) && request.path.substr(kApi.size()).starts_with('/');
  const Found found =
      here ? find_endpoint(request.method, std::string_view(request.path).substr(kApi.size())) : Found();
  if (found.endpoint == nullptr && found.other_method)
    co_return reply_of({405, "usage", "not with this method", "GET /api/v1/openapi.json"});
  if (found.endpoint == nullptr)
    co_return reply_of({404, "not_found", "there is nothing at this path", "GET /api/v1/openapi.json"});
  const Endpoint& endpoint = *found.endpoint;
  Asked asked;
  asked.operation = name_of(endpoint);
  asked.id = found.id;
  asked.user = request.principal->name;
  asked.scopes = request.principal->scopes;
  if (const Page* page = door_.find(cookie_of(request), service::now_ms())) asked.csrf = page->csrf;
  if (auto wrong = read_request(endpoint, request, bounds_, asked)) co_return reply_of(std::move(*wrong));
  std::optional<Fault> refused;
  co_await loop_.run_on_pool([&] { refused = check_access(endpoint, asked, *records_); });
  if (refused) co_return reply_of(std::move(*refused));
  if (std::holds_alternative<Stream>(endpoint.how)) co_return stream(endpoint, asked, request);
  if (const auto* own = std::get_if<Own>(&endpoint.how)) co_return to_reply(answer_own(*own, asked, request));
  const Answer given = co_await carry_out(endpoint, asked);
  co_return to_reply(given);
}

HttpReply Studio::stream(const Endpoint& endpoint, const Asked& asked, const HttpRequest& request) {
  HttpReply reply;
  add_page_headers(reply);
  if (std::get<Stream>(endpoint.how) == Stream::Project) {
    reply.events = hub_.project(asked.project);
    return reply;
  }
  const auto last = parse_number(request.header("last-event-id"));
  reply.events = hub_.session(asked.project, asked.id, last ? *last : asked.number("after", 0, UINT64_MAX / 2));
  return reply;
}

awaitable<Answer> Studio::carry_out(const Endpoint& endpoint, const Asked& asked) {
  if (const auto* say = std::get_if<Say>(&endpoint.how)) co_return (*say)(asked);
  if (const auto* look = std::get_if<Look>(&endpoint.how)) {
    Answer answer = Json();
    co_await loop_.run_on_pool([&] { answer = (*look)(asked, *records_); });
    co_return answer;
  }
  Answer done = co_await work(asked);
  co_return done;
}

awaitable<Answer> Studio::work(const Asked& asked) {
  if (working_ >= kMostWorking)
    co_return refuse({503, "busy", "too much is asked for at a time", "try again in a moment"});
  ++working_;
  Answer answer = co_await do_elsewhere(loop_, settings_.program, settings_.caller, to_text(asked));
  --working_;
  co_return answer;
}

}  // namespace pale::studio
