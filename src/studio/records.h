// studio/records.h: what is on record of projects and their sessions. Of any thread: one at a time has it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "history/history.h"
#include "service/request.h"

namespace pale::studio {

// A project as the records know it.
struct Place {
  std::string key;          // of its sessions
  std::string root;         // empty for a managed one
  std::string stages;       // the directory of its stages
  bool is_managed = false;  // a tenants' project
};

// The one of that id: one of your own, or else a managed one.
Result<Place> find_place(const Path& pale_home, const std::string& id);

class Records {
 public:
  static Result<std::unique_ptr<Records>> open(const Path& pale_home, const service::Caller& caller);

  const Path& pale_home() const noexcept { return pale_home_; }
  const service::Caller& caller() const noexcept { return caller_; }

  Result<Place> project(const std::string& id) const { return find_place(pale_home_, id); }
  // A session of that project, with what it did until now taken in.
  Result<history::SessionWithRuns> session(const Place& place, const std::string& id);
  Result<history::EventPage> events(const Place& place, const std::string& id, const history::EventFilter& filter);
  Result<std::vector<history::Session>> sessions(const Place& place, std::size_t limit);
  Result<history::AccessPage> accesses(const Place& place, const history::AccessFilter& filter);

  // Texts that differ when something has changed, by what it is: sessions, accesses, approvals, stages, manifest, loop.
  using Signs = std::map<std::string, std::string>;
  Signs signs_of(const std::string& project_id);
  // The number of its last event.
  std::uint64_t last_event(const std::string& project_id, const std::string& session_id);

 private:
  Records(Path pale_home, const service::Caller& caller, history::History history)
      : pale_home_(std::move(pale_home)), caller_(caller), history_(std::move(history)) {}
  Status take_in(const Place& place, const std::string& id);

  Path pale_home_;
  service::Caller caller_;
  std::mutex one_at_a_time_;
  history::History history_;
};

// The directory entries there are, with when each was last changed.
std::string listing_of(const std::string& directory);
std::string sign_of(const std::string& file);

}  // namespace pale::studio
