// keeper/keeper.h: what every tool works with: where things lie, what is on record, and the program that hosts sessions.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "history/access.h"
#include "history/history.h"
#include "service/request.h"
#include "session/place.h"
#include "sys/fd.h"

namespace pale::keeper {

class Keeper {
 public:
  // Takes in what sessions did while nobody looked.
  static Result<std::unique_ptr<Keeper>> open(const service::Caller& caller);

  const Path& pale_home() const noexcept { return pale_home_; }
  const service::Caller& caller() const noexcept { return caller_; }
  const sys::Fd& program() const noexcept { return program_; }
  history::History& history() noexcept { return history_; }

  // Takes in what a session, or all of a project, wrote; no project: all of them. Part by part: whoever else asks for something
  // is answered in between.
  boost::asio::awaitable<Status> take_in(const session::Name& name);
  boost::asio::awaitable<Status> take_in_all(std::string project = {});

  // A session of a project that may be seen. For whoever may not see it, it does not exist, and how long it takes to say so
  // depends on what he may see alone.
  Result<session::Name> find_session(const history::Access& access, const std::string& id) const;

 private:
  Keeper(Path pale_home, const service::Caller& caller, sys::Fd program, history::History history)
      : pale_home_(std::move(pale_home)), caller_(caller), program_(std::move(program)), history_(std::move(history)) {}
  Path pale_home_;
  service::Caller caller_;
  sys::Fd program_;
  history::History history_;
};

}  // namespace pale::keeper
