#include "keeper/keeper.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/uuid.h"
#include "service/keeper.h"
#include "service/prepare.h"
#include "sys/file.h"
#include "tenant/project.h"

namespace pale::keeper {

Result<std::unique_ptr<Keeper>> Keeper::open(const service::Caller& caller) {
  PALE_TRY(pale_home, service::pale_home_of(caller));
  PALE_CHECK(sys::make_directories(pale_home.text(), 0700));
  PALE_TRY(history, history::History::open(pale_home));
  (void)history.ingest_all();  // One session that cannot be read keeps nobody from the others.
  return std::unique_ptr<Keeper>(
      new Keeper(std::move(pale_home), caller, sys::Fd(service::kProgramDescriptor), std::move(history)));
}

boost::asio::awaitable<Status> Keeper::take_in(const session::Name& name) {
  for (;;) {
    const auto all = history_.ingest_some(name);
    if (!all) co_return std::unexpected(all.error());
    if (*all) co_return Status();
    co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
  }
}

boost::asio::awaitable<Status> Keeper::take_in_all(std::string project) {
  const auto names = history_.to_take_in(project);
  if (!names) co_return std::unexpected(names.error());
  Status first;
  for (const session::Name& name : *names) {
    Status taken = co_await take_in(name);
    if (!taken && first) first = std::move(taken);
    co_await boost::asio::post(co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
  }
  co_return first;
}

Result<session::Name> Keeper::find_session(const history::Access& access, const std::string& id) const {
  const auto none = [&] { return fail(ErrorKind::NotFound, "there is no session", id, "session_list"); };
  if (!is_uuid(id)) return none();
  std::vector<std::string> projects = access.projects();
  if (access.may_read_all()) {
    PALE_TRY(recorded, history_.project_of(id));
    projects = {std::move(recorded)};
  }
  for (std::string& project : projects) {
    if (project.empty()) continue;
    const session::Place place = session::place_of(pale_home_, project, id);
    PALE_TRY(info, sys::file_info(sys::kAbsolute, place.record.c_str()));
    if (info.kind == (place.is_one_file() ? sys::FileKind::File : sys::FileKind::Directory))
      return session::Name{std::move(project), id};
  }
  if (!access.may_read_all()) return none();
  // It may have been started by others, a moment ago.
  PALE_TRY(all, session::sessions_on_disk(pale_home_));
  for (session::Name& name : all) {
    if (name.session == id) return std::move(name);
  }
  return none();
}

}  // namespace pale::keeper
