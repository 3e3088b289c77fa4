#include "search/request.h"

#include <array>
#include <optional>

#include "base/json.h"
#include "base/json_value.h"

namespace pale::search {
namespace {

constexpr std::size_t kDeepest = 8;
constexpr std::array<std::string_view, 6> kKinds = {"usage",       "not_found", "refused",
                                                    "unsupported", "system",    "mismatch"};
// Beyond these nobody reads it, and memory would be another's to bound.
constexpr std::uint64_t kMostContext = 1000;
constexpr std::uint64_t kMostLines = 100'000;
constexpr std::uint64_t kMostBytes = 64UL << 20U;

// One member after another, by name; what is left over at the end is nobody's.
class Members {
 public:
  Members(const JsonValue& value, const char* what) : value_(value), what_(what) {}

  void text(std::string_view key, std::string& into) {
    if (const JsonValue* found = take(key)) store(key, found->bytes(), into);
  }
  void number(std::string_view key, std::uint64_t& into) {
    if (const JsonValue* found = take(key)) store(key, found->whole_number(), into);
  }
  void truth(std::string_view key, bool& into) {
    if (const JsonValue* found = take(key)) store(key, found->boolean(), into);
  }
  // A choice of two: the second one, if it is true.
  template <typename Choice>
  void choice(std::string_view key, Choice second, Choice& into) {
    bool chosen = into == second;
    truth(key, chosen);
    if (chosen) into = second;
  }
  // Each item is read by `read`.
  template <typename T, typename Read>
  void list(std::string_view key, std::vector<T>& into, Read read) {
    const JsonValue* found = take(key);
    if (found == nullptr) return;
    if (!found->is_array()) wrong_ = key;
    for (const JsonValue& item : found->items()) {
      auto value = read(item);
      if (!value) {
        wrong_ = key;
        return;
      }
      into.push_back(std::move(*value));
    }
  }

  Status finish() const {
    if (!value_.is_object()) return fail(ErrorKind::Usage, what_, "is not an object");
    if (!wrong_.empty()) return fail(ErrorKind::Usage, what_, "has a wrong value of " + std::string(wrong_));
    if (taken_ != value_.members().size()) return fail(ErrorKind::Usage, what_, "has a key that there is not");
    return {};
  }

 private:
  const JsonValue* take(std::string_view key) {
    const JsonValue* found = value_.find(key);
    if (found != nullptr) ++taken_;
    return found;
  }
  template <typename T>
  void store(std::string_view key, std::optional<T> value, T& into) {
    if (value) {
      into = std::move(*value);
    } else {
      wrong_ = key;
    }
  }

  const JsonValue& value_;
  const char* what_;
  std::size_t taken_ = 0;
  std::string_view wrong_;
};

std::optional<Line> read_line(const JsonValue& value) {
  Line line;
  Members members(value, "a line");
  members.number("number", line.number);
  members.truth("matches", line.matches);
  members.text("text", line.text);
  if (!members.finish()) return std::nullopt;
  return line;
}

std::optional<FileMatches> read_file(const JsonValue& value) {
  FileMatches file;
  Members members(value, "a file");
  members.text("path", file.path);
  members.number("count", file.count);
  members.list("lines", file.lines, read_line);
  if (!members.finish()) return std::nullopt;
  return file;
}

Error read_error(const JsonValue& value) {
  Error error;
  std::string kind;
  std::uint64_t number = 0;
  Members members(value, "an error");
  members.text("kind", kind);
  members.number("number", number);
  members.text("operation", error.operation);
  members.text("subject", error.subject);
  members.text("hint", error.hint);
  for (std::size_t at = 0; at < kKinds.size(); ++at) {
    if (kKinds[at] == kind) error.kind = static_cast<ErrorKind>(at);
  }
  error.number = number < 4096 ? static_cast<int>(number) : 0;
  return error;
}

std::string error_text(const Error& error) {
  JsonWriter out;
  out.begin_object().key("error").begin_object();
  out.field("kind", kKinds[static_cast<std::size_t>(error.kind)]).field("number", error.number);
  out.field("operation", error.operation).field("subject", error.subject).field("hint", error.hint);
  out.end_object().end_object();
  return out.text();
}

void write_file(JsonWriter& out, const FileMatches& file) {
  out.begin_object().field("path", file.path).field("count", file.count).key("lines").begin_array();
  for (const Line& line : file.lines) {
    out.begin_object().field("number", line.number).field("matches", line.matches).field("text", line.text);
    out.end_object();
  }
  out.end_array().end_object();
}

Status check(const Request& request) {
  if (!request.root.starts_with('/')) return fail(ErrorKind::Usage, "the root is not an absolute path:", request.root);
  if (request.pattern.empty())
    return fail(ErrorKind::Usage, "the pattern is empty:", "every line would match", "say what to look for");
  const std::pair<std::uint64_t, std::uint64_t> bounds[] = {
      {request.context, kMostContext}, {request.most_lines, kMostLines}, {request.most_bytes, kMostBytes}};
  for (const auto& [value, most] : bounds) {
    if (value > most)
      return fail(ErrorKind::Usage, "too much is asked for:", std::to_string(value), "at most " + std::to_string(most));
  }
  return {};
}

}  // namespace

std::string to_text(const Request& request) {
  JsonWriter out;
  out.begin_object().field("root", request.root).field("prefix", request.prefix).field("pattern", request.pattern);
  out.field("literal", request.syntax == Syntax::Literal).field("ignore_case", request.letters == Letters::AnyCase);
  out.key("paths").begin_array();
  for (const std::string& path : request.paths) out.value(path);
  out.end_array().field("glob", request.glob).key("only").begin_array();
  for (const std::string& suffix : request.only) out.value(suffix);
  out.end_array();
  out.field("ignored", request.walk.ignored == Ignored::Show).field("skip_hidden", request.walk.hidden == Hidden::Skip);
  out.field("counts", request.report == Report::Counts).field("context", request.context);
  out.field("most_lines", request.most_lines).field("most_bytes", request.most_bytes);
  out.field("time_limit", request.time_limit).end_object();
  return out.text();
}

Result<Request> parse_request(std::string_view text) {
  PALE_TRY(value, JsonValue::parse(text, kDeepest));
  Request request;
  Members members(value, "the request");
  members.text("root", request.root);
  members.text("prefix", request.prefix);
  members.text("pattern", request.pattern);
  members.choice("literal", Syntax::Literal, request.syntax);
  members.choice("ignore_case", Letters::AnyCase, request.letters);
  members.list("paths", request.paths, [](const JsonValue& path) { return path.bytes(); });
  members.text("glob", request.glob);
  members.list("only", request.only, [](const JsonValue& suffix) { return suffix.bytes(); });
  members.choice("ignored", Ignored::Show, request.walk.ignored);
  members.choice("skip_hidden", Hidden::Skip, request.walk.hidden);
  members.choice("counts", Report::Counts, request.report);
  members.number("context", request.context);
  members.number("most_lines", request.most_lines);
  members.number("most_bytes", request.most_bytes);
  members.number("time_limit", request.time_limit);
  PALE_CHECK(members.finish());
  PALE_CHECK(check(request));
  return request;
}

std::string to_text(const Result<Answer>& answer) {
  if (!answer) return error_text(answer.error());
  JsonWriter out;
  out.begin_object().key("files").begin_array();
  for (const FileMatches& file : answer->files) write_file(out, file);
  out.end_array();
  out.field("matching_lines", answer->matching_lines).field("matching_files", answer->matching_files);
  out.field("searched_files", answer->searched_files).field("unread", answer->unread).field("hard", answer->hard);
  out.field("more", answer->more).field("out_of_time", answer->out_of_time).end_object();
  return out.text();
}

Result<Answer> parse_answer(std::string_view text) {
  PALE_TRY(value, JsonValue::parse(text, kDeepest));
  if (const JsonValue* error = value.find("error")) return fail(read_error(*error));
  Answer answer;
  Members members(value, "the answer");
  members.list("files", answer.files, read_file);
  members.number("matching_lines", answer.matching_lines);
  members.number("matching_files", answer.matching_files);
  members.number("searched_files", answer.searched_files);
  members.number("unread", answer.unread);
  members.number("hard", answer.hard);
  members.truth("more", answer.more);
  members.truth("out_of_time", answer.out_of_time);
  PALE_CHECK(members.finish());
  return answer;
}

}  // namespace pale::search
