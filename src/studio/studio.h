// studio/studio.h: the page and its API as routes of the HTTP server: who may come in, which endpoint is meant, and its answer.
#pragma once

#include <functional>
#include <memory>

#include "mcp/http.h"
#include "mcp/loop.h"
#include "studio/door.h"
#include "studio/endpoints.h"
#include "studio/feed.h"
#include "sys/fd.h"

namespace pale::studio {

struct Settings {
  Path pale_home;
  service::Caller caller;
  const sys::Fd& program;  // `pale`, which does work in processes of its own
  std::string version;
};

class Studio {
 public:
  static Result<std::unique_ptr<Studio>> open(mcp::Loop& loop, const Settings& settings);

  // The routes, and how refusals read there. Tokens are checked as the options say, which must outlive this.
  void join(mcp::HttpOptions& options);

 private:
  Studio(mcp::Loop& loop, Settings settings, std::unique_ptr<Records> records)
      : loop_(loop),
        settings_(std::move(settings)),
        records_(std::move(records)),
        door_(settings_.pale_home),
        hub_(loop_, *records_) {}

  std::optional<mcp::HttpReply> vet(mcp::HttpRequest& request);
  boost::asio::awaitable<mcp::HttpReply> answer(const mcp::HttpRequest& request);
  boost::asio::awaitable<mcp::HttpReply> answer_api(const mcp::HttpRequest& request);
  boost::asio::awaitable<Answer> carry_out(const Endpoint& endpoint, const Asked& asked);
  boost::asio::awaitable<Answer> work(const Asked& asked);
  mcp::HttpReply stream(const Endpoint& endpoint, const Asked& asked, const mcp::HttpRequest& request);
  mcp::HttpReply enter(const mcp::HttpRequest& request);
  Answer answer_own(Own own, const Asked& asked, const mcp::HttpRequest& request);

  mcp::Loop& loop_;
  Settings settings_;
  std::unique_ptr<Records> records_;
  Door door_;
  Hub hub_;
  std::function<std::optional<mcp::Principal>(std::string_view)> authenticate_;
  mcp::Bounds bounds_;
  std::size_t working_ = 0;
};

}  // namespace pale::studio
