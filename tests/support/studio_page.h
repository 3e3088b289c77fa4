// tests/support/studio_page.h: a browser's page of Studio: it comes in by the link, keeps its cookie, and says what a browser says.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "integration/serving.h"

namespace pale::test {

class StudioPage {
 public:
  StudioPage(int port, const std::string& link) : port_(port) {
    const HttpAnswer entered = ask("GET", link.substr(link.find("/enter")));
    const std::string cookie = entered.header("set-cookie");
    cookie_ = cookie.substr(0, cookie.find(';'));
    csrf_ = get("/me").json().value("csrf", "");
  }

  const std::string& cookie() const { return cookie_; }
  const std::string& csrf() const { return csrf_; }
  int port() const { return port_; }

  // Any request, with these headers alone beside Host.
  HttpAnswer ask(const std::string& method, const std::string& target, const Headers& headers = {},
                 const std::string& body = {}, std::string host = {}) const {
    if (host.empty()) host = "127.0.0.1:" + std::to_string(port_);
    std::string text = method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n";
    for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
    if (!body.empty() || method != "GET") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return http::ask(port_, text + "Connection: close\r\n\r\n" + body);
  }
  HttpAnswer get(const std::string& path) const { return ask("GET", "/api/v1" + path, as_page()); }
  HttpAnswer send(const std::string& method, const std::string& path, const Json& body = Json::object()) const {
    Headers headers = as_page();
    headers.emplace_back("X-Pale-CSRF", csrf_);
    headers.emplace_back("Content-Type", "application/json");
    headers.emplace_back("Origin", "http://127.0.0.1:" + std::to_string(port_));
    return ask(method, "/api/v1" + path, headers, body.dump());
  }
  Headers as_page() const { return {{"Cookie", cookie_}, {"Sec-Fetch-Site", "same-origin"}}; }

 private:
  int port_;
  std::string cookie_;
  std::string csrf_;
};

// What a server printed for a person.
inline std::string link_in(const std::string& log) {
  const std::size_t at = log.rfind("Studio: ");
  return at == std::string::npos ? std::string() : log.substr(at + 8, log.find('\n', at) - at - 8);
}

}  // namespace pale::test
