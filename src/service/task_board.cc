#include "service/task_board.h"

#include <algorithm>
#include <utility>

#include "sys/process.h"

namespace pale::service {
namespace {

constexpr char kEndOfField = '\0';

std::string packed(const WatchNote& note) {
  std::string text = note.kind == WatchNote::Kind::Refused ? "r" : "o";
  text += note.operation + kEndOfField + note.path + kEndOfField + note.rule + kEndOfField;
  return text;
}

std::string next_field(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(kEndOfField), rest.size());
  std::string field(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return field;
}

}  // namespace

Result<TaskBoard*> TaskBoard::make() {
  void* memory = sys::share_memory(sizeof(TaskBoard));
  if (memory == nullptr) return fail(ErrorKind::System, "no memory can be shared", "", "free some memory");
  return static_cast<TaskBoard*>(memory);  // Fresh memory is zero, which is an empty board.
}

void TaskBoard::Lane::put(std::string_view text) noexcept {
  const std::size_t at = written.load(std::memory_order_relaxed);
  if (text.size() > bytes.size() - at) return;
  std::ranges::copy(text, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  written.store(at + text.size(), std::memory_order_release);
}

std::string_view TaskBoard::Lane::take() noexcept {
  const std::size_t end = std::min(written.load(std::memory_order_acquire), bytes.size());
  const std::size_t begin = std::exchange(taken, end);
  return {bytes.data() + begin, end - begin};
}

void TaskBoard::add(const WatchNote& note) noexcept { notes_.put(packed(note)); }

void TaskBoard::add(const network::Visit& visit) noexcept { visits_.put(network::to_json(visit) + kEndOfField); }

std::vector<WatchNote> TaskBoard::take() {
  std::vector<WatchNote> notes;
  for (std::string_view rest = notes_.take(); !rest.empty();) {
    WatchNote note{rest.front() == 'r' ? WatchNote::Kind::Refused : WatchNote::Kind::Outside, {}, {}, {}};
    rest.remove_prefix(1);
    note.operation = next_field(rest);
    note.path = next_field(rest);
    note.rule = next_field(rest);
    notes.push_back(std::move(note));
  }
  return notes;
}

std::vector<network::Visit> TaskBoard::take_visits() {
  std::vector<network::Visit> visits;
  for (std::string_view rest = visits_.take(); !rest.empty();) {
    if (auto visit = network::parse_visit(next_field(rest))) visits.push_back(std::move(*visit));
  }
  return visits;
}

void TaskBoard::put_end(const TaskEnd& end) noexcept {
  exit_code_ = end.exit_code;
  std::ranges::copy_n(end.ending.begin(), static_cast<std::ptrdiff_t>(std::min(end.ending.size(), ending_.size() - 1)),
                      ending_.begin());
  length_ = std::min(end.text.size(), text_.size());
  std::ranges::copy_n(end.text.begin(), static_cast<std::ptrdiff_t>(length_), text_.begin());
  over_.store(true, std::memory_order_release);
}

std::optional<TaskEnd> TaskBoard::end() const {
  if (!over_.load(std::memory_order_acquire)) return std::nullopt;
  return TaskEnd{exit_code_, ending_.data(), {text_.data(), std::min(length_, text_.size())}};
}

Status TaskVisits::visited(const network::Visit& visit) {
  board_.add(visit);
  return {};
}

bool TaskWatch::tell_now(const sandbox::WatchedScope& scope, const Boundary& boundary,
                         const sandbox::Sighting& sighting) {
  if (const auto note = note_of(scope, boundary, sighting)) board_.add(*note);
  return true;
}

void TaskWatch::hear(const sandbox::WatchedScope& scope, const Boundary& boundary, const sandbox::Sighting& sighting,
                     bool told) {
  if (!told) (void)tell_now(scope, boundary, sighting);
}

}  // namespace pale::service
