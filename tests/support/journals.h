// tests/support/journals.h: a session as its host leaves it on disk, written by hand.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "session/about.h"
#include "session/event.h"
#include "session/place.h"
#include "sys/file.h"

namespace pale::test {

inline std::string session_id(int number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 8 - digits.size(), '0');
  return digits + "-0000-4000-8000-000000000000";
}

class HandMadeSession {
 public:
  static constexpr std::int64_t kBegan = 1'700'000'000'000;

  // Its host lives, until it dies.
  HandMadeSession(const std::filesystem::path& pale_home, int number, const std::string& project = "shop")
      : place_(session::place_of(Path::literal(pale_home.string()), project, session_id(number))),
        record_(place_.record.text()),
        live_(place_.live.text()) {
    about_.id = session_id(number);
    about_.project = project;
    about_.workspace = session_id(900 + number);
    about_.created_ms = kBegan + number * 1000L;
    about_.limits.pids = 64;
    std::filesystem::create_directories(place_.folder().text());
    std::filesystem::create_directories(live_);
    lock_ = std::move(sys::open_at(sys::kAbsolute, (live_ / "lock").c_str(), O_RDWR | O_CREAT, 0600)).value();
    (void)sys::try_lock(lock_, sys::LockKind::Exclusive);
    std::ofstream(place_.about().text()) << session::to_json(about_);
  }
  HandMadeSession(const HandMadeSession&) = delete;
  HandMadeSession& operator=(const HandMadeSession&) = delete;

  void die() { lock_.reset(); }

  // Numbered and timed as the next one.
  session::Event& append(session::Event event) {
    event.number = events_.size() + 1;
    event.at_ms = about_.created_ms + static_cast<std::int64_t>(event.number);
    append_raw(session::to_line(event));
    return events_.emplace_back(std::move(event));
  }
  void append_raw(const std::string& text) const { std::ofstream(journal(), std::ios::app) << text; }

  void started() {
    session::Event event;
    event.data = R"({"backend":"namespaces"})";
    append(event);
  }
  void run(std::uint64_t number, std::vector<std::string> command) {
    session::Event event;
    event.kind = session::EventKind::Run;
    event.run = number;
    event.command = std::move(command);
    event.directory = "/workspace";
    append(event);
  }
  void output(std::uint64_t number, std::string data, std::string stream = "stdout") {
    session::Event event;
    event.kind = session::EventKind::Output;
    event.run = number;
    event.stream = std::move(stream);
    event.data = std::move(data);
    append(event);
  }
  void denied(std::uint64_t number, std::string path) {
    session::Event event;
    event.kind = session::EventKind::Denied;
    event.run = number;
    event.path = std::move(path);
    event.operation = "write";
    event.rule = "protected_paths";
    append(event);
  }
  void changed(std::uint64_t number, std::string path) {
    session::Event event;
    event.kind = session::EventKind::Changed;
    event.run = number;
    event.path = std::move(path);
    event.operation = "write";
    append(event);
  }
  void exit(std::uint64_t number, int code) {
    session::Event event;
    event.kind = session::EventKind::Exit;
    event.run = number;
    event.exit_code = code;
    event.ending = "exited";
    event.milliseconds = 12;
    append(event);
  }
  void ended(std::string how = "ended") {
    session::Event event;
    event.kind = session::EventKind::Ended;
    event.ending = std::move(how);
    append(event);
  }

  session::Name name() const { return {about_.project, about_.id}; }
  const std::string& id() const { return about_.id; }
  const session::About& about() const { return about_; }
  const std::vector<session::Event>& events() const { return events_; }
  const std::filesystem::path& record() const { return record_; }
  const std::filesystem::path& live() const { return live_; }
  std::filesystem::path journal() const { return place_.events().text(); }

 private:
  session::Place place_;
  std::filesystem::path record_, live_;
  session::About about_;
  std::vector<session::Event> events_;
  sys::Fd lock_;
};

}  // namespace pale::test
