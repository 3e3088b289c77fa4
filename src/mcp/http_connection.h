// mcp/http_connection.h: one connection of an HTTP client, request after request.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <set>

#include "mcp/http_service.h"

namespace pale::mcp {

class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;
  virtual bool is_busy() const noexcept = 0;  // with a request
  virtual void close() = 0;
  virtual void cancel() = 0;  // what it waits for
  virtual void end_subscriptions() = 0;
};

// What all connections of one server share. They may outlive it, if it does not stop in time.
struct HttpShared {
  HttpShared(Loop& of, Server& server, const HttpOptions& with) : loop(of), options(with), service(of, server, with) {}
  Loop& loop;
  const HttpOptions& options;
  HttpService service;
  std::set<Connection*> connections;
  bool stopping = false;
};

// Lives until the client or the server closes it.
void serve_connection(const std::shared_ptr<HttpShared>& shared, boost::asio::ip::tcp::socket socket);

}  // namespace pale::mcp
