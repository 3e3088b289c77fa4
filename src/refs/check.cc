#include "refs/check.h"

#include <algorithm>

#include "base/time.h"
#include "refs/index.h"
#include "refs/put_back.h"
#include "refs/read.h"
#include "refs/repository.h"
#include "sys/event.h"

namespace pale::refs {
namespace {

constexpr std::size_t kDeepest = 16;

using Mode = NoteRequest::Mode;

struct Noted {
  NoteRequest request;
  std::vector<Ref> refs;
  std::string index;
};

struct Answer {
  Mode mode = Mode::Strict;
  Judgement judgement;
  std::vector<std::string> staged;
  std::optional<Error> unchecked;  // why nothing is known
  std::optional<Error> unmended;   // why what is refused is not as it was
};

std::string_view to_text(Wrong wrong) {
  switch (wrong) {
    case Wrong::Outside: return "outside";
    case Wrong::Removed: return "removed";
    case Wrong::Odd: return "odd";
    case Wrong::NoCommit: return "no_commit";
    case Wrong::Unchecked: break;
  }
  return "unchecked";
}

void write_error(JsonWriter& out, std::string_view key, const std::optional<Error>& error) {
  out.key(key);
  error ? out.value(error->sentence()) : out.null();
}

void write_texts(JsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  out.key(key).begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

std::string to_json(const Answer& answer) {
  JsonWriter out;
  out.begin_object().field("strict", answer.mode == Mode::Strict).field("moved", answer.judgement.moved);
  out.key("refs").begin_array();
  for (const Verdict& verdict : answer.judgement.verdicts) {
    out.begin_object().field("ref", verdict.ref).field("wrong", to_text(verdict.wrong)).field("now", verdict.now);
    out.field("commit", verdict.commit).field("subject", verdict.subject).field("kept", verdict.kept);
    write_texts(out, "paths", verdict.paths);
    out.end_object();
  }
  out.end_array();
  write_texts(out, "staged", answer.staged);
  write_error(out, "unchecked", answer.unchecked);
  write_error(out, "unmended", answer.unmended);
  return out.end_object().text() + "\n";
}

Result<Noted> parse_noted(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  PALE_TRY(json, JsonValue::parse(text.substr(0, end), kDeepest));
  const auto wrong = [] { return fail(ErrorKind::Usage, "this is no note of a repository", ""); };
  const JsonValue* git = json.find("git");
  const JsonValue* mode = json.find("mode");
  const JsonValue* folders = json.find("folders");
  const JsonValue* refs = json.find("refs");
  if (git == nullptr || !git->bytes() || mode == nullptr || folders == nullptr || refs == nullptr) return wrong();
  PALE_TRY(directory, Path::parse(*git->bytes()));
  Noted noted{{std::move(directory),
               {},
               mode->text() != nullptr && *mode->text() == "permissive" ? Mode::Permissive : Mode::Strict},
              {},
              {}};
  for (const JsonValue& item : folders->items()) {
    const auto folder = item.bytes();
    if (!folder) return wrong();
    PALE_TRY(path, Path::parse(*folder));
    noted.request.folders.push_back(std::move(path));
  }
  PALE_TRY(known, refs_of(*refs));
  noted.refs = std::move(known);
  if (end < text.size()) noted.index = text.substr(end + 1);
  return noted;
}

// "20261117T193500Z", as part of a ref's name.
std::string time_now() {
  std::string time = to_iso(sys::wall_clock_seconds());
  std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == '+' || c == '.'; });
  return time;
}

Status look(const Noted& noted, const std::vector<Ref>& now, Answer& answer) {
  PALE_TRY(repository, Repository::open(noted.request.git_directory));
  PALE_TRY(judgement, judge(noted.refs, now, noted.request.folders, repository));
  answer.judgement = std::move(judgement);
  PALE_TRY(staged, staged_outside(noted.request.git_directory, noted.index, noted.request.folders));
  answer.staged = std::move(staged);
  return {};
}

// A ref to something that git cannot read would only be another thing that is broken.
void forget_unreadable(const Path& git_directory, std::vector<Verdict>& verdicts) {
  auto repository = Repository::open(git_directory);
  for (Verdict& verdict : verdicts) {
    if (!repository || !repository->peel(verdict.now)) verdict.now.clear();
  }
}

Status mend(const Noted& noted, Answer& answer) {
  const Path& git = noted.request.git_directory;
  PALE_CHECK(put_back(git, noted.refs, answer.judgement.verdicts, time_now()));
  const bool touched = !answer.staged.empty() || answer.unchecked;
  return touched ? put_index_back(git, noted.index, noted.request.folders) : Status();
}

}  // namespace

Result<std::string> note(const NoteRequest& request) {
  set_up_library();
  // That it can be read afterwards is found out now.
  PALE_TRY(repository, Repository::open(request.git_directory));
  PALE_TRY(refs, read_refs(request.git_directory));
  PALE_TRY(index, read_index(request.git_directory));
  JsonWriter out;
  out.begin_object().field("git", request.git_directory.text());
  out.field("mode", request.mode == Mode::Permissive ? "permissive" : "strict").key("folders").begin_array();
  for (const Path& folder : request.folders) out.value(folder.text());
  out.end_array().key("refs");
  write_refs(out, refs);
  return out.end_object().text() + "\n" + index;
}

std::string check(std::string_view text, Effect effect) {
  set_up_library();
  Answer answer;
  const auto noted = parse_noted(text);
  if (!noted) {
    answer.unchecked = noted.error();
    return to_json(answer);
  }
  answer.mode = effect == Effect::LookOnly ? Mode::Permissive : noted->request.mode;
  const auto now = read_refs(noted->request.git_directory);
  const Status looked = now ? look(*noted, *now, answer) : Status(std::unexpected(now.error()));
  if (!looked) {
    answer.unchecked = looked.error();
    const std::vector<Ref> after = now ? *now : std::vector<Ref>();
    answer.judgement.verdicts = all_moved(noted->refs, after);
    forget_unreadable(noted->request.git_directory, answer.judgement.verdicts);
    answer.judgement.moved = answer.judgement.verdicts.size();
  }
  if (answer.mode == Mode::Strict) {
    if (const Status mended = mend(*noted, answer); !mended) answer.unmended = mended.error();
  }
  return to_json(answer);
}

}  // namespace pale::refs
