#include "refs/check.h"

#include <algorithm>

#include "base/time.h"
#include "git/note.h"
#include "refs/index.h"
#include "refs/put_back.h"
#include "sys/event.h"
#include "sys/file.h"

namespace pale::refs {
namespace {

using git::Mode;

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
    case Wrong::Kept: return "kept";
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

// "20261117T193500Z", as part of a ref's name.
std::string time_now() {
  std::string time = to_iso(sys::wall_clock_seconds());
  std::erase_if(time, [](char c) { return c == '-' || c == ':' || c == '+' || c == '.'; });
  return time;
}

constexpr std::string_view kIndex = "index";

class Check {
 public:
  Check(const git::Note& note, Allowed allowed)
      : note_(note), git_(note.terms.git_directory), allowed_(std::move(allowed)) {}

  Status look(const std::vector<Ref>& now, Answer& answer) const {
    PALE_TRY(repository, Repository::open(git_));
    PALE_TRY(judgement, judge(note_.before.refs, now, allowed_, repository));
    answer.judgement = std::move(judgement);
    PALE_TRY(names, indexes_now());
    for (const std::string& name : names) {
      PALE_TRY(before, before_of(name, now, repository));
      PALE_TRY(staged, before.staged_outside(directory_of(name), allowed_));
      for (const std::string& path : staged) answer.staged.push_back(shown(name) + path);
    }
    return {};
  }

  Status mend(const std::vector<Ref>& now, Answer& answer) const {
    PALE_CHECK(put_back(git_, note_.before.refs, answer.judgement.verdicts, time_now()));
    if (answer.staged.empty() && !answer.unchecked) return {};
    auto repository = Repository::open(git_);
    PALE_TRY(names, indexes_now());
    for (const std::string& name : names) {
      if (!is_known(name) && !repository) continue;
      PALE_TRY(before, is_known(name) ? IndexBefore::of_bytes(bytes_of(name)) : before_of(name, now, *repository));
      const auto staged = before.staged_outside(directory_of(name), allowed_);
      if (!staged || !staged->empty()) PALE_CHECK(before.put_back(directory_of(name), allowed_));
    }
    return {};
  }

 private:
  Path directory_of(const std::string& index) const {
    const std::string below = index.substr(0, index.size() - kIndex.size());
    return below.empty() ? git_ : git_ / below.substr(0, below.size() - 1);
  }
  static std::string shown(const std::string& index) {
    return index == kIndex ? "" : index.substr(0, index.size() - kIndex.size() - 1) + ": ";
  }

  const git::Held* noted(const std::string& index) const {
    const auto at = std::ranges::find(note_.before.indexes, index, &git::Held::name);
    return at == note_.before.indexes.end() ? nullptr : &*at;
  }
  // That of the main worktree may have been missing.
  bool is_known(const std::string& index) const { return index == kIndex || noted(index) != nullptr; }
  std::string bytes_of(const std::string& index) const {
    const git::Held* held = noted(index);
    return held == nullptr ? std::string() : held->bytes;
  }

  // The main one, and those of all worktrees that are there.
  Result<std::vector<std::string>> indexes_now() const {
    std::vector<std::string> names = {std::string(kIndex)};
    for (const git::Held& held : note_.before.indexes) {
      PALE_TRY(info, sys::file_info(sys::kAbsolute, directory_of(held.name).c_str()));
      if (held.name != kIndex && info.kind == sys::FileKind::Directory) names.push_back(held.name);
    }
    PALE_TRY(now, git::read_worktree_indexes(git_));
    for (std::string& name : now) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return names;
  }

  Result<IndexBefore> before_of(const std::string& index, const std::vector<Ref>& now, Repository& repository) const {
    if (is_known(index)) return IndexBefore::of_bytes(bytes_of(index));
    const std::string head = index.substr(0, index.size() - kIndex.size()) + "HEAD";
    return IndexBefore::of_commit(repository, git::resolve(now, head));
  }

  const git::Note& note_;
  const Path& git_;
  Allowed allowed_;
};

// A ref to something that git cannot read would only be another thing that is broken.
void forget_unreadable(const Path& git_directory, std::vector<Verdict>& verdicts) {
  auto repository = Repository::open(git_directory);
  for (Verdict& verdict : verdicts) {
    if (!repository || !repository->peel(verdict.now)) verdict.now.clear();
  }
}

Result<Allowed> allowed_by(const git::Terms& terms) {
  Allowed allowed{terms.folders, {}};
  if (terms.file_scope) {
    PALE_TRY(files, scope::FileScope::parse(*terms.file_scope));
    allowed.files = std::move(files);
  }
  return allowed;
}

Status check_note(const git::Note& note, Effect effect, Answer& answer) {
  PALE_TRY(allowed, allowed_by(note.terms));
  const Path& git = note.terms.git_directory;
  const Check check(note, std::move(allowed));
  answer.mode = effect == Effect::LookOnly ? Mode::Permissive : note.terms.mode;
  const auto read = git::read_refs(git);
  const std::vector<Ref> now = read ? *read : std::vector<Ref>();
  const Status looked = read ? check.look(now, answer) : Status(std::unexpected(read.error()));
  if (!looked) {
    answer.unchecked = looked.error();
    answer.judgement.verdicts = all_moved(note.before.refs, now);
    forget_unreadable(git, answer.judgement.verdicts);
    answer.judgement.moved = answer.judgement.verdicts.size();
  }
  if (answer.mode == Mode::Strict) {
    if (const Status mended = check.mend(now, answer); !mended) answer.unmended = mended.error();
  }
  return {};
}

}  // namespace

std::string check(std::string_view note, Effect effect) {
  set_up_library();
  Answer answer;
  const auto noted = git::parse_note(note);
  const Status checked = noted ? check_note(*noted, effect, answer) : Status(std::unexpected(noted.error()));
  if (!checked) answer.unchecked = checked.error();
  return to_json(answer);
}

}  // namespace pale::refs
