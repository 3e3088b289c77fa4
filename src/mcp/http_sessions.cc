#include "mcp/http_sessions.h"

#include <algorithm>

#include "mcp/seal.h"

namespace pale::mcp {
namespace {

// Of finished streams that a client might come back for.
constexpr std::size_t kStreams = 32;

}  // namespace

std::shared_ptr<Stream> Session::open_stream(Stream::Settings settings) {
  for (auto next = streams_.begin(); next != streams_.end() && streams_.size() >= kStreams;) {
    next = next->second->is_over() && !next->second->is_attached() ? streams_.erase(next) : std::next(next);
  }
  settings.number = next_stream_++;
  auto stream = std::make_shared<Stream>(settings);
  streams_.emplace(settings.number, stream);
  return stream;
}

std::shared_ptr<Stream> Session::open_general_stream(const Stream::Settings& settings) {
  end_general_stream();
  general_ = open_stream(settings);
  general_->begin_streaming();
  peer_->set_general_outlet(general_);
  return general_;
}

void Session::end_general_stream() {
  if (!general_) return;
  peer_->set_general_outlet(nullptr);
  general_->abandon();
  forget(*general_);
  general_ = nullptr;
}

std::shared_ptr<Stream> Session::find_stream(std::uint64_t number) const {
  const auto found = streams_.find(number);
  return found != streams_.end() ? found->second : nullptr;
}

void Session::sweep() {
  std::erase_if(streams_, [](const auto& entry) { return entry.second->is_forgotten(); });
}

bool Session::is_used() const {
  return peer_->running() != 0 ||
         std::ranges::any_of(streams_, [](const auto& entry) { return entry.second->is_attached(); });
}

std::shared_ptr<Session> Sessions::open(const std::string& owner, std::shared_ptr<Peer> peer, Session::Time now) {
  if (!make_room(owner)) return nullptr;
  auto session = std::make_shared<Session>(random_name(), owner, std::move(peer));
  session->touch(now);
  sessions_.emplace(session->id(), session);
  return session;
}

// Who has many makes room among its own: nobody loses a session because somebody else opens a thousand.
bool Sessions::make_room(const std::string& owner) {
  const auto mine = static_cast<std::size_t>(
      std::ranges::count_if(sessions_, [&](const auto& entry) { return entry.second->owner() == owner; }));
  const bool own_only = mine >= std::max<std::size_t>(1, most_ / 2);
  if (!own_only && sessions_.size() < most_) return true;
  const std::shared_ptr<Session>* oldest = nullptr;
  for (const auto& [id, session] : sessions_) {
    if (session->is_used() || (own_only && session->owner() != owner)) continue;
    if (oldest == nullptr || session->last_used() < (*oldest)->last_used()) oldest = &session;
  }
  if (oldest == nullptr) return false;
  close((*oldest)->id());
  return true;
}

std::shared_ptr<Session> Sessions::find(const std::string& id, const std::string& owner, Session::Time now) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second->owner() != owner) return nullptr;
  found->second->touch(now);
  return found->second;
}

void Sessions::close(const std::string& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  const auto session = found->second;
  sessions_.erase(found);
  session->end_general_stream();
  session->peer().cancel_all();
}

void Sessions::sweep(Session::Time now) {
  std::vector<std::string> unused;
  for (const auto& [id, session] : sessions_) {
    session->sweep();
    if (session->is_used()) {
      session->touch(now);
    } else if (now - session->last_used() > unused_) {
      unused.push_back(id);
    }
  }
  for (const std::string& id : unused) close(id);
}

}  // namespace pale::mcp
