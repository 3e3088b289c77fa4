// service/call_record.h: what happens in a call of a worker and in those below it, written down as a session is: each call is a
// run of it, with the receipt of its sandbox.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/outside.h"
#include "service/watch_notes.h"
#include "session/about.h"
#include "session/journal.h"
#include "session/place.h"

namespace pale::service {

// How a run ended, as a journal has it.
std::string_view in_a_word(sandbox::Ending ending) noexcept;

class CallRecord {
 public:
  // What it is to people, as session::About has it.
  struct Words {
    std::string kind;
    std::string title;
    std::string agent;
    std::string stage;
  };
  // Of a project that is not managed. `began_ms`: of what began before anybody wanted to write it down; 0: now.
  static Result<CallRecord> begin(const Path& pale_home, const std::string& project, const Words& words,
                                  std::int64_t began_ms = 0);
  // One that begins with the first thing that is written down, or with open().
  static Result<CallRecord> later(const Path& pale_home, const std::string& project, const Words& words);
  Status open();

  const std::string& session() const noexcept { return about_.id; }
  // `chain`: who called it, down from the first: "index/summary"; empty: nobody.
  Status run(std::uint64_t call, const std::string& chain, std::vector<std::string> command,
             const std::string& directory = "/", std::int64_t began_ms = 0);
  Status receipt(std::uint64_t call, const std::string& receipt);
  // The first thousand: whoever asks without end is not to fill the disk.
  Status refused(std::uint64_t caller, const std::string& worker, std::string_view code, const std::string& sentence);
  // What a watch saw; the first thousand, too.
  Status note(std::uint64_t call, const WatchNote& note);
  Status add(session::Event event);
  Status exit(std::uint64_t call, int exit_code, std::string_view ending, std::int64_t milliseconds);
  Status output(std::uint64_t call, const std::string& stream, std::string data);
  Status input(std::uint64_t call, std::uint64_t bytes);
  Status end(std::string_view ending);
  // Where it can be reached while it lives.
  const Path& live() const noexcept { return place_.live; }

 private:
  CallRecord(Path pale_home, session::About about, session::Place place)
      : pale_home_(std::move(pale_home)), about_(std::move(about)), place_(std::move(place)) {}

  Path pale_home_;
  session::About about_;
  session::Place place_;
  sys::Fd lock_;
  std::optional<session::Journal> journal_;
  std::size_t refusals_ = 0;
};

}  // namespace pale::service
