#include "service/session_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "sys/file.h"
#include "sys/message.h"
#include "sys/process.h"

namespace pale::service {
namespace {

using session::Ask;
using session::EventKind;
using session::Tell;

constexpr std::int64_t kGraceMs = 2000;  // between being asked to end and being ended
constexpr std::size_t kMostClients = 32;
constexpr std::size_t kMostOutputs = 64;              // pipes, most of them of what commands left running
constexpr std::size_t kMostUnsent = 1UL << 20U;       // bytes; beyond, the command waits for its client
constexpr std::uint64_t kMostRecorded = 16UL << 20U;  // bytes in the journal, of each output of each command
constexpr std::uint64_t kMostJournal = 256UL << 20U;  // bytes; beyond, no output is recorded
constexpr int kMostReads = 32;  // at a time of one output: what there was is read, and nobody else waits for more

std::string sentence_of(const std::string& name, int number) {
  return "pale: " + name + ": " + errno_text(number) + "\n";
}

}  // namespace

Result<std::string> SessionLoop::run() {
  PALE_TRY(signals, sys::open_signals(sys::kAllSignals));
  signals_ = std::move(signals);
  idle_since_ms_ = sys::monotonic_ms();
  while (over_.empty()) PALE_CHECK(turn());
  if (running_ && running_->ending == "exited") running_->ending = "killed";
  if (running_) PALE_CHECK(finish_run(128 + 9));
  return over_;
}

void SessionLoop::tell_ended() {
  for (Client& client : clients_) {
    if (client.waits_for_end) tell(client, {Tell::Kind::Done});
  }
}

bool SessionLoop::output_waits() {
  const Client* client = client_of_run();
  return client != nullptr && client->unsent_bytes > kMostUnsent;
}

Status SessionLoop::turn() {
  std::vector<sys::Ready> ready = {
      {listener_.borrow()},
      {signals_.borrow()},
      {sandbox_.line().borrow()},
      {sandbox_.starter_line().borrow()},
      {neighbour_ != nullptr && neighbour_->line().is_open() ? neighbour_->line().borrow() : -1}};
  const bool writes = running_ && running_->input.is_waiting();
  if (writes) ready.push_back({.descriptor = running_->input.descriptor(), .wish = sys::Wish::Write});
  const std::size_t first_client = ready.size();
  for (const Client& client : clients_)
    ready.push_back(
        {.descriptor = client.socket.borrow(), .wish = client.unsent.empty() ? sys::Wish::Read : sys::Wish::Write});
  const std::size_t first_output = ready.size();
  if (!output_waits()) {
    for (const OutputPipe& output : outputs_) ready.push_back({output.pipe.borrow()});
  }
  PALE_CHECK(sys::wait_ready(ready, time_left()));

  if (ready[4].readable || ready[4].closed) PALE_CHECK(neighbour_->hear());
  if (writes && (ready[5].writable || ready[5].closed)) running_->input.write_some();
  // Before the sandbox's news: when a command has ended, all its output is there.
  PALE_CHECK(read_outputs(std::span(ready).subspan(first_output)));
  std::size_t at = first_client;
  for (Client& client : clients_) {
    const sys::Ready& state = ready[at++];
    if (state.writable) send_some(client);
    if (state.readable || state.closed) PALE_CHECK(listen_to(client));
  }
  if (ready[2].readable || ready[2].closed || ready[3].readable || ready[3].closed) PALE_CHECK(hear_sandbox());
  while (const auto signal = sys::next_signal(signals_)) {
    if (sys::asks_to_end(*signal)) over_ = "ended";
  }
  if (ready[0].readable) PALE_CHECK(accept_clients());
  std::erase_if(clients_, [](const Client& client) { return client.gone; });
  return watch_clock();
}

Status SessionLoop::read_outputs(std::span<const sys::Ready> states) {
  for (std::size_t at = 0; at < states.size(); ++at) {
    if (states[at].readable || states[at].closed) PALE_CHECK(read_output(outputs_[at]));
  }
  std::erase_if(outputs_, [](const OutputPipe& output) { return !output.pipe.is_open(); });
  return {};
}

// --- time and room ----------------------------------------------------------------------------------------------------

std::int64_t SessionLoop::time_left() const {
  std::optional<std::int64_t> next = clock_.deadline_ms;
  const auto also = [&next](std::int64_t time) { next = next ? std::min(*next, time) : time; };
  if (running_ && running_->deadline_ms) also(*running_->deadline_ms);
  if (running_ && running_->kill_at_ms) also(*running_->kill_at_ms);
  if (const auto due = disk_.due_ms()) also(*due);
  if (!running_ && clients_.empty()) also(idle_since_ms_ + clock_.idle_ms);
  return next ? std::max<std::int64_t>(0, *next - sys::monotonic_ms()) : sys::kForever;
}

Status SessionLoop::watch_clock() {
  const std::int64_t now = sys::monotonic_ms();
  if (running_ || !clients_.empty()) idle_since_ms_ = now;
  if (clock_.deadline_ms && now >= *clock_.deadline_ms) over_ = "timed_out";
  if (now - idle_since_ms_ >= clock_.idle_ms) over_ = "idle";
  if (running_ && running_->deadline_ms && now >= *running_->deadline_ms) {
    running_->deadline_ms.reset();
    stop_run("timed_out");
  }
  if (running_ && running_->kill_at_ms && now >= *running_->kill_at_ms) {
    running_->kill_at_ms.reset();
    (void)sandbox_.stop_command();
  }
  const auto due = disk_.due_ms();
  return due && now >= *due ? watch_disk() : Status();
}

Status SessionLoop::watch_disk() {
  const bool passed = disk_.is_passed(running_ ? DiskWatch::Who::ACommand : DiskWatch::Who::NoCommand);
  if (passed && running_) stop_run("disk");
  if (!passed || running_) return {};
  (void)sandbox_.stop_all();
  if (std::exchange(disk_told_, last_run_) == last_run_) return {};
  return journal_.append({.kind = EventKind::Denied,
                          .run = last_run_,
                          .path = start_.text(),
                          .operation = "write",
                          .rule = "the limit of disk: what ran in the background was ended"});
}

void SessionLoop::stop_run(const char* ending) {
  if (!running_ || running_->ending != "exited") return;
  running_->ending = ending;
  running_->kill_at_ms = sys::monotonic_ms() + kGraceMs;
  (void)sandbox_.terminate_command();
}

// --- clients ----------------------------------------------------------------------------------------------------------

Status SessionLoop::accept_clients() {
  while (clients_.size() < kMostClients) {
    PALE_TRY(socket, sys::accept_next(listener_));
    if (!socket) return {};
    PALE_TRY(peer, sys::peer_of(*socket));
    // Root may do as it likes anyway.
    if (peer.user != sys::user_id() && peer.user != 0) continue;
    clients_.push_back({++last_client_, std::move(*socket), {}});
    PALE_CHECK(listen_to(clients_.back()));  // Mostly it has asked already.
  }
  return {};
}

SessionLoop::Client* SessionLoop::client_of_run() {
  if (!running_) return nullptr;
  const auto found = std::ranges::find(clients_, running_->client, &Client::number);
  return found == clients_.end() || found->gone ? nullptr : &*found;
}

void SessionLoop::tell(Client& client, const Tell& tell) {
  if (client.deaf) return;
  client.unsent.push_back(to_text(tell));
  client.unsent_bytes += client.unsent.back().size();
  send_some(client);
}

void SessionLoop::send_some(Client& client) {
  while (!client.unsent.empty()) {
    const auto sent = sys::send_message(client.socket, client.unsent.front(), {}, sys::Waiting::No);
    if (!sent) return stop_telling(client, sent.error().number);
    if (!*sent) return;
    client.unsent_bytes -= client.unsent.front().size();
    client.unsent.pop_front();
  }
  client.gone |= client.leaves;
}

// One that hung up may have said before that its command shall end: it is gone when all of that is read.
void SessionLoop::stop_telling(Client& client, int number) {
  client.unsent.clear();
  client.unsent_bytes = 0;
  client.deaf = true;
  client.gone |= number != EPIPE && number != ECONNRESET;
}

Status SessionLoop::listen_to(Client& client) {
  auto received = sys::receive_message(client.socket, sys::Waiting::No);
  if (!received || received->closed) {
    client.gone = true;
    return {};
  }
  const std::optional<sys::Message>& message = received->message;
  if (!message) return {};
  const auto ask = session::parse_ask(message->text);
  if (!ask) {
    tell(client, {.kind = Tell::Kind::Failed, .error = ask.error()});
    return {};
  }
  return answer(client, *ask);
}

// Whether it is the running command that a client speaks of. Nobody ends another's, also not one that was refused, or is over.
bool SessionLoop::is_meant(const Client& client, Ask::Kind kind) const {
  if (!running_) return false;
  return running_->client == client.number || (kind == Ask::Kind::Input && !client.asked);
}

Status SessionLoop::answer(Client& client, const Ask& ask) {
  const auto reply = [&](const Tell& said) {
    if (!client.brief) tell(client, said);
  };
  switch (ask.kind) {
    case Ask::Kind::Run: return begin_run(client, ask);
    case Ask::Kind::Status: tell(client, {.kind = Tell::Kind::Done, .run = running_ ? running_->number : 0}); return {};
    case Ask::Kind::End:
      client.waits_for_end = true;
      over_ = "ended";
      return {};
    case Ask::Kind::Input:
    case Ask::Kind::Cancel: break;
  }
  if (!is_meant(client, ask.kind)) {
    reply({.kind = Tell::Kind::Failed,
           .error = {ErrorKind::NotFound, 0, "no such command runs in this session", "", "pale session log"}});
    return {};
  }
  if (ask.kind == Ask::Kind::Cancel) {
    stop_run("cancelled");
  } else {
    const Status added = running_->input.add(ask.data, ask.last);
    if (!added) {
      reply({.kind = Tell::Kind::Failed, .error = added.error()});
      return {};
    }
    if (!ask.data.empty())
      PALE_CHECK(journal_.append({.kind = EventKind::Input, .run = running_->number, .bytes = ask.data.size()}));
  }
  reply({.kind = Tell::Kind::Done, .run = running_->number});
  return {};
}

Status SessionLoop::begin_run(Client& client, const Ask& ask) {
  client.asked = true;
  const auto refuse = [&](Error error) {
    tell(client, {.kind = Tell::Kind::Failed, .error = std::move(error)});
    return Status{};
  };
  if (running_)
    return refuse({ErrorKind::Refused, 0, "a command runs in this session already:", running_->name,
                   "wait for it, or cancel it"});
  if (const Status good = check_run(ask); !good) return refuse(good.error());
  auto directory =
      ask.directory.empty()
          ? Result<Path>(start_)
          : Path::parse(ask.directory.starts_with('/') ? ask.directory : start_.text() + "/" + ask.directory);
  if (!directory) return refuse(std::move(directory).error());
  if (disk_.is_stale()) PALE_CHECK(watch_disk());
  PALE_TRY(opened, open_run(ask.last ? InputKind::None : InputKind::Pipe));
  if (const Status begun = sandbox_.begin({ask.command, *directory}, opened.theirs); !begun) {
    if (begun.error().kind == ErrorKind::Usage) return refuse(begun.error());
    return begun;
  }
  const std::int64_t now = sys::monotonic_ms();
  Running run{.number = ++last_run_,
              .client = client.number,
              .input = InputPipe(std::move(opened.input)),
              .began_ms = now,
              .name = ask.command.front()};
  if (ask.time_limit) run.deadline_ms = now + static_cast<std::int64_t>(*ask.time_limit) * 1000;
  running_.emplace(std::move(run));
  disk_.begin();
  // Whoever holds the oldest gets no reader any more, as at the end of a pipeline.
  while (outputs_.size() + 2 > kMostOutputs) outputs_.erase(outputs_.begin());
  outputs_.push_back({last_run_, "stdout", std::move(opened.output)});
  outputs_.push_back({last_run_, "stderr", std::move(opened.errors)});
  PALE_CHECK(journal_.append(
      {.kind = EventKind::Run, .run = last_run_, .command = ask.command, .directory = directory->text()}));
  client.brief = ask.brief;
  if (!client.brief) tell(client, {.kind = Tell::Kind::Begun, .run = last_run_});
  return {};
}

// --- the sandbox ------------------------------------------------------------------------------------------------------

Status SessionLoop::hear_sandbox() {
  for (;;) {
    PALE_TRY(heard, sandbox_.next_news());
    if (heard.gone) {
      over_ = "killed";
      return {};
    }
    if (!heard.news) return {};
    PALE_CHECK(take(*heard.news));
  }
}

Status SessionLoop::take(const sandbox::News& news) {
  const std::uint64_t run = running_ ? running_->number : 0;
  switch (news.kind) {
    case sandbox::News::Kind::Ready:
    case sandbox::News::Kind::Stopped: return {};
    case sandbox::News::Kind::NotBegun: return not_started(news);
    case sandbox::News::Kind::Exit: return finish_run(news.number);
    case sandbox::News::Kind::Denied:
      if (running_) ++running_->denials;
      return journal_.append(
          {.kind = EventKind::Denied, .run = run, .path = news.path, .operation = news.operation, .rule = news.rule});
    case sandbox::News::Kind::Changed:
      if (running_) ++running_->changes;
      return journal_.append({.kind = EventKind::Changed, .run = run, .path = news.path, .operation = news.operation});
  }
  return {};
}

// The command itself could say nothing.
Status SessionLoop::not_started(const sandbox::News& news) {
  if (!running_) return {};
  running_->ending = "failed";
  OutputPipe errors{running_->number, "stderr", {}};
  return pass_output(errors, sentence_of(news.path.empty() ? running_->name : news.path, news.number));
}

Status SessionLoop::finish_run(int exit_code) {
  if (!running_) return {};
  for (OutputPipe& output : outputs_) {
    if (output.run == running_->number) PALE_CHECK(read_output(output));
  }
  // It was asked to end, and did; what it started may not have. Of room on disk nobody knows who takes it.
  if (running_->ending == "disk")
    (void)sandbox_.stop_all();
  else if (running_->ending != "exited" && running_->ending != "failed")
    (void)sandbox_.stop_command();
  const std::int64_t took = sys::monotonic_ms() - running_->began_ms;
  PALE_CHECK(journal_.append({.kind = EventKind::Exit,
                              .run = running_->number,
                              .exit_code = exit_code,
                              .ending = running_->ending,
                              .milliseconds = took}));
  if (Client* client = client_of_run(); client != nullptr) {
    client->leaves = client->brief;
    tell(*client, {.kind = Tell::Kind::Exit,
                   .run = running_->number,
                   .exit_code = exit_code,
                   .ending = running_->ending,
                   .milliseconds = took,
                   .denials = running_->denials,
                   .changes = running_->changes});
    if (client->leaves) sys::let_others_run();  // It ends with that; what is left to do here can wait.
  }
  running_.reset();
  disk_.settle();
  return {};
}

Status SessionLoop::read_output(OutputPipe& output) {
  std::array<char, session::kMostOutput> buffer;
  for (int reads = 0; reads < kMostReads && output.pipe.is_open(); ++reads) {
    PALE_TRY(got, sys::try_read(output.pipe, buffer));
    if (!got) return {};
    if (*got == 0) output.pipe.reset();
    if (*got > 0) PALE_CHECK(pass_output(output, std::string(buffer.data(), *got)));
    if (output_waits()) return {};
  }
  return {};
}

Status SessionLoop::pass_output(OutputPipe& output, std::string data) {
  const bool current = running_ && running_->number == output.run;
  if (Client* client = current ? client_of_run() : nullptr; client != nullptr)
    tell(*client, {.kind = Tell::Kind::Output, .run = output.run, .stream = output.stream, .data = data});
  if (output.recorded > kMostRecorded) return {};
  output.recorded += data.size();
  if (journal_.bytes() > kMostJournal) output.recorded = kMostRecorded + 1;
  if (output.recorded > kMostRecorded) data = "[what it wrote after this is not recorded]\n";
  return journal_.append(
      {.kind = EventKind::Output, .run = output.run, .stream = output.stream, .data = std::move(data)});
}

}  // namespace pale::service
