// mcp/http_connection.h: one connection of an HTTP client, request after request.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>

#include "mcp/http_crowd.h"
#include "mcp/http_service.h"

namespace pale::mcp {

// What all connections of one server share. They may outlive it, if it does not stop in time.
struct HttpShared {
  HttpShared(Loop& of, Server& server, const HttpOptions& with)
      : loop(of), options(with), service(of, server, with), connections(with.limits.connections) {}
  Loop& loop;
  const HttpOptions& options;
  HttpService service;
  Crowd connections;
  bool stopping = false;
};

// Lives until the client or the server closes it.
void serve_connection(const std::shared_ptr<HttpShared>& shared, boost::asio::ip::tcp::socket socket);

}  // namespace pale::mcp
