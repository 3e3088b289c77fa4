// service/visit_log.h: the connections of one run: shown to a person where they were blocked, and written down as a session's are.
#pragma once

#include <string>
#include <vector>

#include "service/call_record.h"
#include "service/gate.h"

namespace pale::service {

class VisitLog final : public VisitListener {
 public:
  VisitLog(Path pale_home, std::string project, std::string root, const Request& request);
  ~VisitLog() override;

  // The record begins with the first one: a run that reaches for nobody leaves none.
  Status visited(const network::Visit& visit) override;
  // The run is over; what could not be shown in between is shown now.
  Status finish(int exit_code, std::string_view ending, std::int64_t milliseconds);

  // If it has begun.
  CallRecord* record() noexcept { return record_ ? &*record_ : nullptr; }
  // Who was let through, as rules of a list.
  const std::vector<HostRule>& reached() const noexcept { return reached_; }

 private:
  void show(const network::Visit& visit);
  Status begin();

  Path pale_home_;
  std::string project_;
  std::string root_;
  std::vector<std::string> command_;
  bool (*tell_)(const std::string& lines, Telling telling);
  VisitListener* other_;  // who writes them down instead; null: nobody
  std::int64_t began_ms_;
  std::optional<CallRecord> record_;
  std::size_t written_ = 0;
  std::vector<std::string> shown_;    // places
  std::vector<std::string> unshown_;  // blocks
  std::vector<HostRule> reached_;
};

}  // namespace pale::service
