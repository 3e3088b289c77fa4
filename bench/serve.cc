// serve: clients of `pale serve`, for bench/serve.py: small, so that what is measured is the server.
//
//   serve PORT CLIENTS SECONDS LEAST-MS MOST-MS MIX
//     Standard input has a line for each session: TOKEN PROJECT WORKSPACE SESSION. Each client has some of them to itself and a
//     connection that it keeps. It calls, waits a random time between LEAST and MOST, and calls again. MIX is "run", for session_run
//     of true alone, or "all", for what agents do. Writes a line for each call: TOOL NANOSECONDS, or "error" and what came.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Job {
  int port = 0;
  int clients = 0;
  std::chrono::seconds seconds{0};
  int least = 0;
  int most = 0;
  bool all = false;
};

struct Session {
  std::string token, project, workspace, id;
};

std::mutex out;

class Client {
 public:
  Client(const Job& job, std::vector<Session> sessions, unsigned seed)
      : job_(job), sessions_(std::move(sessions)), random_(seed) {}

  void run() {
    if (!initialize()) return;
    const auto end = Clock::now() + job_.seconds;
    wait();  // not all at once
    while (Clock::now() < end && call()) wait();
    std::lock_guard lock(out);
    std::fputs(report_.c_str(), stdout);
  }

 private:
  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  void wait() { std::this_thread::sleep_for(std::chrono::microseconds(number(job_.least * 1000, job_.most * 1000))); }

  bool open_line() {
    line_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(job_.port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    setsockopt(line_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return connect(line_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  bool initialize() {
    if (!open_line()) return failed("no connection");
    const std::string answer =
        exchange(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
                 R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})");
    const std::size_t at = answer.find("Mcp-Session-Id: ");
    if (at == std::string::npos) return failed(answer);
    conversation_ = answer.substr(at, answer.find('\r', at) - at) + "\r\n";
    return true;
  }

  // Head and body of the answer, whose length must be given: what takes long enough for a stream is none of this program's.
  std::string exchange(const std::string& body) {
    const std::string request =
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + sessions_[0].token +
        "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" + conversation_ +
        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    if (send(line_, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) return {};
    std::string answer;
    std::size_t wanted = std::string::npos;
    while (answer.size() < wanted) {
      char buffer[65536];
      const ssize_t got = recv(line_, buffer, sizeof buffer, 0);
      if (got <= 0) return answer;
      answer.append(buffer, static_cast<std::size_t>(got));
      const std::size_t head = answer.find("\r\n\r\n");
      if (wanted != std::string::npos || head == std::string::npos) continue;
      const std::size_t length = answer.find("Content-Length: ");
      if (length > head) return answer;
      wanted = head + 4 + std::strtoul(answer.c_str() + length + 16, nullptr, 10);
    }
    return answer;
  }

  bool call() {
    const Session& session = sessions_[static_cast<std::size_t>(number(0, static_cast<int>(sessions_.size()) - 1))];
    const std::string by_session = R"("session_id":")" + session.id + "\"";
    const std::string by_project = R"("project_id":")" + session.project + "\"";
    const int draw = job_.all ? number(0, 99) : 0;
    if (draw < 80) return timed("session_run", by_session + R"(,"command":["true"])");
    if (draw < 87) return timed("session_log", by_session + R"(,"limit":20)");
    if (draw < 90) return timed("session_list", by_project + R"(,"state":"running")");
    if (draw < 95) return timed("workspace_get", by_project + R"(,"workspace_id":")" + session.workspace + "\"");
    return timed("project_get", by_project);
  }

  bool timed(const std::string& tool, const std::string& arguments) {
    const std::string body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool +
                             R"(","arguments":{)" + arguments + "}}}";
    const auto start = Clock::now();
    const std::string answer = exchange(body);
    const auto took = Clock::now() - start;
    const bool good = answer.starts_with("HTTP/1.1 200") && answer.find("\"isError\":true") == std::string::npos &&
                      answer.find("\"structuredContent\"") != std::string::npos &&
                      (tool != "session_run" || answer.find("\"exit_code\":0") != std::string::npos);
    if (!good) return failed(tool + ": " + answer);
    report_ += tool + " " + std::to_string(std::chrono::nanoseconds(took).count()) + "\n";
    return true;
  }

  bool failed(std::string what) {
    for (char& c : what) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    report_ += "error " + what.substr(0, 1000) + "\n";
    std::lock_guard lock(out);
    std::fputs(report_.c_str(), stdout);
    report_.clear();
    return false;
  }

  const Job& job_;
  std::vector<Session> sessions_;
  std::mt19937 random_;
  int line_ = -1;
  std::string conversation_;
  std::string report_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  const Job job{std::atoi(argv[1]), std::atoi(argv[2]), std::chrono::seconds(std::atoi(argv[3])),
                std::atoi(argv[4]), std::atoi(argv[5]), std::strcmp(argv[6], "all") == 0};
  std::vector<std::vector<Session>> shares(static_cast<std::size_t>(job.clients));
  std::size_t at = 0;
  for (Session session; std::cin >> session.token >> session.project >> session.workspace >> session.id; ++at)
    shares[at % shares.size()].push_back(session);
  if (at < shares.size()) return 2;
  std::vector<std::thread> threads;
  for (std::size_t each = 0; each < shares.size(); ++each)
    threads.emplace_back([&job, share = shares[each], each] { Client(job, share, static_cast<unsigned>(each)).run(); });
  for (std::thread& thread : threads) thread.join();
}
