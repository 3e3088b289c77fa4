#include "service/visit_log.h"

#include <algorithm>

#include "service/visit_record.h"
#include "sys/event.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostShown = 20;
constexpr std::size_t kMostReached = 1000;

using network::Verdict;
using network::Visit;

}  // namespace

VisitLog::VisitLog(Path pale_home, std::string project, std::string root, const Request& request)
    : pale_home_(std::move(pale_home)),
      project_(std::move(project)),
      root_(std::move(root)),
      command_(request.runs == Runs::Tools ? std::vector<std::string>{"pale", "mcp"} : request.command),
      tell_(request.tell),
      other_(request.visits),
      began_ms_(sys::wall_clock_ns() / 1'000'000) {}

VisitLog::~VisitLog() {
  if (record_) (void)record_->end("ended");
}

Status VisitLog::begin() {
  if (record_) return {};
  PALE_TRY(record, CallRecord::begin(pale_home_, project_, {.kind = "run"}, began_ms_));
  record_.emplace(std::move(record));
  return record_->run(1, {}, command_, root_, began_ms_);
}

Status VisitLog::visited(const Visit& visit) {
  show(visit);
  if (visit.verdict != Verdict::Blocked && visit.way != "name" && reached_.size() < kMostReached) {
    const auto kind = Address::parse(visit.host) ? HostRule::Kind::Address : HostRule::Kind::Name;
    const bool usual = visit.port == kHttpPort || visit.port == kHttpsPort;
    const HostRule rule{kind, visit.host, usual ? std::uint16_t{0} : visit.port, "learnt"};
    if (std::ranges::find(reached_, rule) == reached_.end()) reached_.push_back(rule);
  }
  if (++written_ > kMostVisits) return {};
  if (other_ != nullptr) return other_->visited(visit);
  PALE_CHECK(begin());
  return record_->add(event_of(visit, 1));
}

// Each place once: whoever tries again is not told of again.
void VisitLog::show(const Visit& visit) {
  if (visit.verdict != Verdict::Blocked || tell_ == nullptr) return;
  const std::string place =
      network::place_of({.host = visit.host, .port = visit.way == "name" ? std::uint16_t{0} : visit.port});
  if (shown_.size() >= kMostShown || std::ranges::find(shown_, place) != shown_.end()) return;
  shown_.push_back(place);
  std::string block = block_of(visit, root_);
  if (!tell_(block, Telling::IfItMay)) unshown_.push_back(std::move(block));
}

Status VisitLog::finish(int exit_code, std::string_view ending, std::int64_t milliseconds) {
  for (const std::string& block : unshown_) (void)tell_(block, Telling::Surely);
  unshown_.clear();
  return record_ ? record_->exit(1, exit_code, ending, milliseconds) : Status();
}

}  // namespace pale::service
