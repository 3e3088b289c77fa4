#include "session/event.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/json.h"
#include "base/json_value.h"
#include "base/text.h"
#include "sys/file.h"

namespace pale::session {
namespace {

constexpr std::array<std::string_view, 10> kKinds = {"started", "run",  "output",     "input", "denied",
                                                     "changed", "exit", "connection", "ended", "unreadable"};
constexpr std::size_t kDeepest = 3;  // an event, its command, a word of it that is not UTF-8
constexpr std::uint64_t kMostNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kLongestLine = 64UL << 20U;  // what is longer is no line of ours
constexpr std::size_t kMostShown = 4096;           // of a line that cannot be read

// What a kind of event has beside the four that all have; in the order in which it is written.
template <typename AnyEvent, typename Visit>
void visit_fields(AnyEvent& event, Visit&& visit) {
  switch (event.kind) {
    case EventKind::Started: visit("receipt", event.data); break;
    case EventKind::Run:
      visit("command", event.command);
      visit("directory", event.directory);
      break;
    case EventKind::Output:
      visit("stream", event.stream);
      visit("data", event.data);
      break;
    case EventKind::Input: visit("bytes", event.bytes); break;
    case EventKind::Denied:
      visit("path", event.path);
      visit("operation", event.operation);
      visit("rule", event.rule);
      break;
    case EventKind::Changed:
      visit("path", event.path);
      visit("operation", event.operation);
      break;
    case EventKind::Exit:
      visit("exit_code", event.exit_code);
      visit("ending", event.ending);
      visit("milliseconds", event.milliseconds);
      break;
    case EventKind::Connection:
      visit("host", event.path);
      visit("way", event.operation);
      visit("verdict", event.ending);
      visit("reason", event.rule);
      visit("sent", event.bytes);
      visit("received", event.received);
      break;
    case EventKind::Ended: visit("ending", event.ending); break;
    case EventKind::Unreadable: visit("data", event.data); break;
  }
}

std::unexpected<Error> wrong(std::string_view what, std::string_view key) {
  return fail(ErrorKind::Usage, "this is no event:", std::string(what) + " " + std::string(key));
}

// Members of one line; the first thing that is wrong with them stays.
class Reader {
 public:
  explicit Reader(const JsonValue& json) : json_(json) {}

  void read(std::string_view key, std::string& into) {
    const JsonValue* member = find(key);
    auto bytes = member == nullptr ? std::nullopt : member->bytes();
    if (bytes) into = std::move(*bytes);
    check(member, bytes.has_value(), key);
  }
  void read(std::string_view key, std::vector<std::string>& into) {
    const JsonValue* member = find(key);
    if (member == nullptr) return;
    bool good = member->is_array();
    for (const JsonValue& item : member->items()) {
      auto bytes = item.bytes();
      good = good && bytes;
      if (bytes) into.push_back(std::move(*bytes));
    }
    check(member, good, key);
  }
  void read(std::string_view key, std::uint64_t& into) {
    const JsonValue* member = find(key);
    const auto number = member == nullptr ? std::nullopt : member->whole_number();
    into = number.value_or(0);
    check(member, number && into <= kMostNumber, key);
  }
  template <std::signed_integral T>
  void read(std::string_view key, T& into) {
    const JsonValue* member = find(key);
    if (member == nullptr) return;
    const bool negative = member->written().starts_with('-');
    const auto size = parse_number(std::string_view(member->written()).substr(negative ? 1 : 0));
    const bool good = member->kind() == JsonValue::Kind::Number && size &&
                      *size <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (good) into = static_cast<T>(negative ? -static_cast<std::int64_t>(*size) : static_cast<std::int64_t>(*size));
    check(member, good, key);
  }

  const std::string& problem() const noexcept { return problem_; }
  std::size_t found() const noexcept { return found_; }

 private:
  const JsonValue* find(std::string_view key) {
    const JsonValue* member = json_.find(key);
    if (member == nullptr && problem_.empty()) problem_ = "it lacks " + std::string(key);
    found_ += member != nullptr ? 1 : 0;
    return member;
  }
  void check(const JsonValue* member, bool good, std::string_view key) {
    if (member != nullptr && !good && problem_.empty()) problem_ = "not a value of " + std::string(key);
  }

  const JsonValue& json_;
  std::string problem_;
  std::size_t found_ = 0;
};

struct Writer {
  JsonWriter& out;
  void operator()(std::string_view key, const std::vector<std::string>& words) const {
    out.key(key).begin_array();
    for (const std::string& word : words) out.value(word);
    out.end_array();
  }
  void operator()(std::string_view key, const auto& value) const { out.field(key, value); }
};

Status check_members(const JsonValue& json, const Reader& reader, const Event& event) {
  if (!reader.problem().empty()) return fail(ErrorKind::Usage, "this is no event:", reader.problem());
  if (json.members().size() != reader.found() + 1)  // its kind
    return fail(ErrorKind::Usage,
                "this is no event:", "something is in it that " + std::string(to_text(event.kind)) + " does not have");
  if (event.kind == EventKind::Output && event.stream != "stdout" && event.stream != "stderr")
    return wrong("not a value of", "stream");
  return {};
}

Event unreadable(std::string_view line, const std::vector<Event>& before) {
  Event event;
  event.kind = EventKind::Unreadable;
  event.data = line.substr(0, kMostShown);
  if (before.empty()) return event;
  event.number = before.back().number + 1;
  event.at_ms = before.back().at_ms;
  return event;
}

void read_lines(std::string_view text, EventsRead& read) {
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    auto event = parse_event(text.substr(0, end));
    read.events.push_back(event ? std::move(*event) : unreadable(text.substr(0, end), read.events));
    read.next += end + 1;
  }
}

std::size_t fill(const sys::Fd& file, std::uint64_t from, std::string& buffer) {
  std::size_t length = 0;
  while (length < buffer.size()) {
    const std::size_t got = sys::read_at(file, from + length, std::span(buffer).subspan(length));
    if (got == 0) break;
    length += got;
  }
  return length;
}

}  // namespace

std::string_view to_text(EventKind kind) noexcept { return kKinds[static_cast<std::size_t>(kind)]; }

std::string to_line(const Event& event) {
  JsonWriter out;
  out.begin_object().field("number", event.number).field("at", event.at_ms);
  out.field("kind", to_text(event.kind)).field("run", event.run);
  visit_fields(event, Writer{out});
  out.end_object();
  return out.text() + "\n";
}

Result<Event> parse_event(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  PALE_TRY(json, JsonValue::parse(line, kDeepest));
  if (!json.is_object()) return wrong("it is no", "object");
  const JsonValue* kind = json.find("kind");
  const std::string* name = kind == nullptr ? nullptr : kind->text();
  if (name == nullptr) return wrong("it lacks", "kind");
  const auto* const known = std::ranges::find(kKinds, *name);
  if (known == kKinds.end()) return wrong("nothing is known of", *name);
  Event event;
  event.kind = static_cast<EventKind>(known - kKinds.begin());
  Reader reader(json);
  reader.read("number", event.number);
  reader.read("at", event.at_ms);
  reader.read("run", event.run);
  visit_fields(event, [&](std::string_view key, auto& field) { reader.read(key, field); });
  PALE_CHECK(check_members(json, reader, event));
  return event;
}

Result<EventsRead> read_events(const std::string& path, std::uint64_t from, std::size_t most_bytes) {
  PALE_TRY(file, sys::open_at(sys::kAbsolute, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  PALE_TRY(info, sys::file_info(file));
  if (info.kind != sys::FileKind::File) return fail(ErrorKind::Refused, "this is no file:", path);
  EventsRead read;
  read.next = from;
  if (info.size <= from) return read;
  std::size_t wanted = std::clamp<std::size_t>(most_bytes, 1, kLongestLine);
  for (;; wanted *= 2) {
    std::string buffer(std::min<std::size_t>(wanted, info.size - from), '\0');
    const std::string_view text(buffer.data(), fill(file, from, buffer));
    read_lines(text, read);
    if (read.next != from || text.size() < wanted) return read;
    if (wanted < kLongestLine) continue;
    read.events.push_back(unreadable(text, read.events));
    read.next += text.size();
    return read;
  }
}

}  // namespace pale::session
