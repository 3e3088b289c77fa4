#include "service/session_host.h"

#include <fcntl.h>

#include "base/json.h"
#include "base/json_value.h"
#include "sandbox/record.h"
#include "service/admit.h"
#include "service/compose.h"
#include "service/gate.h"
#include "service/network_terms.h"
#include "service/prepare.h"
#include "service/session_loop.h"
#include "service/visit_record.h"
#include "session/place.h"
#include "sys/file.h"
#include "sys/message.h"
#include "sys/process.h"
#include "sys/tree.h"
#include "tenant/id.h"

namespace pale::service {
namespace {

constexpr int kFirstInherited = 3;
constexpr std::uint64_t kUsualIdle = 3600;  // seconds
constexpr std::size_t kDeepest = 4;

using session::EventKind;
using session::Tell;

void reply_with(int reply, const Tell& tell) { (void)sys::write_all(reply, to_text(tell)); }

// The caller's ends: from here on the session is its own.
Status let_go_of_caller() {
  PALE_TRY(null, sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR));
  for (int number = 0; number < kFirstInherited; ++number) PALE_CHECK(sys::place_descriptor(null.borrow(), number));
  return {};
}

// All that something inside wants to reach, in the session's own journal.
class JournalOfVisits final : public VisitListener {
 public:
  explicit JournalOfVisits(std::optional<session::Journal>& journal) : journal_(journal) {}
  Status visited(const network::Visit& visit) override {
    return !journal_ || ++written_ > kMostVisits ? Status() : journal_->append(event_of(visit, 0));
  }

 private:
  std::optional<session::Journal>& journal_;
  std::size_t written_ = 0;
};

class Host {
 public:
  Host(const SessionRequest& request, const Caller& caller, Path pale_home)
      : request_(request),
        caller_(caller),
        places_{pale_home.text()},
        place_(session::place_of(pale_home, request.tenant.project, request.session)),
        pale_home_(std::move(pale_home)) {}

  Status live(int reply) {
    PALE_TRY(cleaned, sandbox::clean_up(places_));
    std::optional<sandbox::RunRecord>& record = cleaned.idle;
    if (!record) {
      PALE_TRY(made, sandbox::RunRecord::make(places_));
      record.emplace(std::move(made));
    }
    PALE_TRY(admitted, admit_session(pale_home_, place_, request_));
    Status lived = live_in(admitted, *record, reply);
    if (!stood_) forget(place_);
    (void)sys::remove_tree(sys::kAbsolute, place_.live.c_str());
    return lived;
  }

 private:
  Status live_in(Admitted& admitted, sandbox::RunRecord& record, int reply) {
    PALE_TRY(prepared, prepare(request_of(admitted), caller_));
    const stage::Store store = store_of(pale_home_, prepared.root());
    PALE_CHECK(recover_stages(store));
    PALE_TRY(stage_in_use, enter_stage(prepared.staging, store));
    admitted.project_lock.reset();
    JournalOfVisits visits(journal_);
    std::unique_ptr<Gate> gate;
    if (!prepared.plan.gate.listeners.empty()) {
      PALE_TRY(opened,
               Gate::open(proxy_settings(prepared.boundary, prepared.terms.network_config, false), caller_, visits));
      gate = std::move(opened);
    }
    sandbox::SandboxRequest sandbox_request{
        prepared.boundary,
        prepared.plan,
        prepared.facts,
        record,
        places_,
        {},
        prepared.staging ? std::optional(prepared.staging->stage.began_ns) : std::nullopt,
        {},
        caller_.argv,
        caller_.envp};
    if (gate) sandbox_request.gate_line = &gate->sockets();
    gate_ = gate.get();
    auto started = sandbox::LiveSandbox::start(sandbox_request);
    if (!started) {
      (void)leave_stage(prepared.staging, store, Ran::No);
      return fail(std::move(started).error());
    }
    Status lived = stand(*started, prepared, admitted, reply);
    gate_ = nullptr;
    auto left = leave_stage(prepared.staging, store, Ran::Yes);
    stage_in_use.clear();
    step_back(admitted);
    if (lived && !left) return fail(std::move(left).error());
    return lived;
  }

  // Nobody finds it any more, and it holds nothing: whoever waits for its end may go on with the workspace and its stage.
  void step_back(Admitted& admitted) {
    (void)sys::remove_file(admitted.live.borrow(), "socket");
    admitted.live_lock.reset();
    if (loop_) loop_->tell_ended();
  }

  Request request_of(const Admitted& admitted) const {
    Request request;
    request.tenant = request_.tenant;
    request.stage = request_.stage;
    request.limits.memory = admitted.about.limits.memory;
    request.limits.pids = admitted.about.limits.pids;
    request.backend = BackendChoice::Namespaces;
    return request;
  }

  Status stand(sandbox::LiveSandbox& sandbox, const Prepared& prepared, Admitted& admitted, int reply) {
    admitted.about.stage = prepared.staging ? prepared.staging->stage.name : "";
    const Status written = write_down(admitted.about, sandbox.receipt());
    auto listener =
        written ? sys::listen_at(admitted.live, "socket") : Result<sys::Fd>(std::unexpected(written.error()));
    if (!listener || !journal_) {
      (void)sandbox.end();
      return listener ? written : fail(std::move(listener).error());
    }
    stood_ = true;
    reply_with(reply, {.kind = Tell::Kind::Done, .notes = admitted.notes});
    PALE_CHECK(let_go_of_caller());
    loop_.emplace(sandbox, *journal_, std::move(*listener), prepared.start_directory,
                  DiskWatch(counted(prepared), admitted.about.limits.disk), clock(admitted.about.limits), gate_);
    auto over = loop_->run();
    if (gate_ != nullptr) (void)gate_->close();
    return journal_->append({.kind = EventKind::Ended, .ending = ending(over, sandbox.end())});
  }

  static std::string ending(const Result<std::string>& over, const Result<sandbox::RunResult>& result) {
    if (!over || !result) return "failed";
    return result->ending == sandbox::Ending::Contained ? "contained" : *over;
  }

  // Only what stands is on record.
  Status write_down(const session::About& about, const std::string& receipt) {
    PALE_CHECK(sys::replace_file(place_.about().text(), to_json(about), 0600, sys::Durability::OfProcess));
    PALE_CHECK(sys::replace_file(place_.receipt().text(), receipt, 0600, sys::Durability::OfProcess));
    PALE_TRY(journal, session::Journal::create(place_.events().text()));
    journal_.emplace(std::move(journal));
    return journal_->append({.kind = EventKind::Started, .data = receipt});
  }

  std::vector<Path> counted(const Prepared& prepared) const {
    return {prepared.staging ? prepared.staging->stage.upper() : prepared.root(),
            private_home(pale_home_, prepared.root())};
  }

  SessionClock clock(const session::Limits& limits) const {
    SessionClock clock{static_cast<std::int64_t>(request_.idle_seconds.value_or(kUsualIdle)) * 1000, std::nullopt};
    if (limits.seconds) clock.deadline_ms = sys::monotonic_ms() + static_cast<std::int64_t>(*limits.seconds) * 1000;
    return clock;
  }

  static void forget(const session::Place& place) { (void)sys::remove_tree(sys::kAbsolute, place.record.c_str()); }

  const SessionRequest& request_;
  const Caller& caller_;
  sandbox::Places places_;
  session::Place place_;
  Path pale_home_;
  Gate* gate_ = nullptr;  // while the session stands
  std::optional<session::Journal> journal_;
  std::optional<SessionLoop> loop_;
  bool stood_ = false;
};

Status host_here(const SessionRequest& request, const Caller& caller, int reply) {
  PALE_CHECK(tenant::check_project_id(request.tenant.project));
  PALE_CHECK(tenant::check_workspace_id(request.tenant.workspace));
  PALE_TRY(pale_home, pale_home_of(caller));
  return Host(request, caller, std::move(pale_home)).live(reply);
}

template <typename T>
void write_if(JsonWriter& out, std::string_view key, const std::optional<T>& value) {
  if (value) out.field(key, *value);
}

std::optional<std::uint64_t> number_in(const JsonValue& value, std::string_view key) {
  const JsonValue* found = value.find(key);
  return found == nullptr ? std::nullopt : found->whole_number();
}

std::string text_in(const JsonValue& value, std::string_view key) {
  const JsonValue* found = value.find(key);
  return found == nullptr || found->text() == nullptr ? std::string() : *found->text();
}

}  // namespace

std::string to_json(const SessionRequest& request) {
  JsonWriter out;
  out.begin_object().field("project", request.tenant.project).field("workspace", request.tenant.workspace);
  out.field("session", request.session);
  if (request.stage) out.field("stage", request.stage->name);
  write_if(out, "memory", request.limits.memory);
  write_if(out, "pids", request.limits.pids);
  write_if(out, "disk", request.limits.disk);
  write_if(out, "seconds", request.limits.seconds);
  write_if(out, "idle_seconds", request.idle_seconds);
  out.end_object();
  return out.text();
}

Result<SessionRequest> parse_session_request(std::string_view text) {
  PALE_TRY(value, JsonValue::parse(text, kDeepest));
  SessionRequest request{{text_in(value, "project"), text_in(value, "workspace")}, text_in(value, "session")};
  if (value.find("stage") != nullptr) request.stage = {text_in(value, "stage"), {}};
  request.limits = {number_in(value, "memory"), number_in(value, "pids"), number_in(value, "disk"),
                    number_in(value, "seconds")};
  request.idle_seconds = number_in(value, "idle_seconds");
  return request;
}

int host_session(const SessionRequest& request, const Caller& caller, int reply) {
  sys::close_from(kFirstInherited);
  const auto child = sys::fork_into(0);
  if (!child) {
    reply_with(reply, {.kind = Tell::Kind::Failed, .error = child.error()});
    return 1;
  }
  if (child->pid != 0) return 0;  // So that whoever started this has nobody to wait for.
  (void)sys::new_session();
  const Status done = host_here(request, caller, reply);
  if (done) return 0;
  reply_with(reply, {.kind = Tell::Kind::Failed, .error = done.error()});
  return 1;
}

}  // namespace pale::service
