#include "studio/stage_view.h"

#include <fcntl.h>

#include "base/hunk.h"
#include "base/line_diff.h"
#include "base/sha256.h"
#include "sys/file.h"

namespace pale::studio {
namespace {

using stage::ChangeKind;
using stage::EntryKind;

constexpr std::uint64_t kMostCounted = 1UL << 20U;  // of a larger file the lines are not counted
constexpr std::uint64_t kMostShown = 4UL << 20U;
constexpr std::size_t kMostLines = 20'000;

bool is_text_kind(EntryKind kind) { return kind == EntryKind::File || kind == EntryKind::Symlink; }

std::string before_path(const stage::Change& change) { return change.from.empty() ? change.path : change.from; }

struct Texts {
  std::string before;
  std::string after;
  bool binary = false;
};
Result<Texts> texts_of(const stage::View& view, const stage::Change& change, std::uint64_t most) {
  Texts texts;
  if (change.before.size > most || change.after.size > most) {
    texts.binary = true;
    return texts;
  }
  if (is_text_kind(change.before.kind)) {
    PALE_TRY(before, view.text_beneath(before_path(change)));
    texts.before = std::move(before);
  }
  if (is_text_kind(change.after.kind)) {
    PALE_TRY(after, view.text_in_stage(change.path));
    texts.after = std::move(after);
  }
  texts.binary = stage::is_binary(texts.before) || stage::is_binary(texts.after);
  return texts;
}

std::string without_newline(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return sane(std::string(line));
}

using Lines = std::vector<std::string_view>;

Json lines_of(const Lines& before, const Lines& after, const Hunk& hunk) {
  Json lines = Json::array();
  std::size_t old_at = hunk.old_begin;
  std::size_t new_at = hunk.new_begin;
  const auto same_until = [&](std::size_t end) {
    for (; old_at < end; ++old_at, ++new_at)
      lines.push_back(
          {{"kind", " "}, {"old", old_at + 1}, {"new", new_at + 1}, {"text", without_newline(before[old_at])}});
  };
  for (const Edit& edit : hunk.edits) {
    same_until(edit.old_begin);
    for (; old_at < edit.old_end; ++old_at)
      lines.push_back({{"kind", "-"}, {"old", old_at + 1}, {"text", without_newline(before[old_at])}});
    for (; new_at < edit.new_end; ++new_at)
      lines.push_back({{"kind", "+"}, {"new", new_at + 1}, {"text", without_newline(after[new_at])}});
  }
  same_until(hunk.old_begin + hunk.old_count);
  return lines;
}

}  // namespace

Result<service::Stages> open_stages(const Asked& asked, const service::Caller& caller) {
  return service::Stages::open({{.root = {}, .id = asked.project}, std::nullopt}, caller);
}

std::string status_of(const stage::Change& change) {
  switch (change.kind) {
    case ChangeKind::Created: return "added";
    case ChangeKind::Changed: return "modified";
    case ChangeKind::Deleted: return "deleted";
    case ChangeKind::Renamed: return "renamed";
    case ChangeKind::Retyped: return "type";
    case ChangeKind::ModeChanged: break;
  }
  return "mode";
}

Result<std::string> version_of(const stage::View& view, const stage::Change& change) {
  Sha256 hash;
  hash.add(status_of(change) + '\0' + change.from + '\0' + std::to_string(change.after.mode) + '\0');
  const sys::Fd file =
      is_text_kind(change.after.kind) ? stage::open_below(view.upper(), change.path, O_PATH) : sys::Fd(-1);
  if (file.is_open()) {
    PALE_TRY(info, sys::file_info(file));
    hash.add(std::to_string(info.inode) + '.' + std::to_string(info.changed_ns) + '.' + std::to_string(info.size));
    // The inode's time has ticks; a large file takes longer than one of them to be written.
    if (info.size <= kMostCounted) {
      PALE_TRY(text, view.text_in_stage(change.path));
      hash.add(text);
    }
  }
  // How a conflict is settled depends on the project's text, too.
  if (change.conflict != stage::Conflict::None) {
    PALE_TRY(beneath, view.text_beneath(before_path(change)));
    hash.add(std::to_string(static_cast<int>(change.conflict)) + '\0').add(beneath);
  }
  return hash.hex();
}

Result<std::string> gate_id(const stage::View& view, const stage::Change& change) {
  std::string text;
  if (is_text_kind(change.after.kind)) {
    PALE_TRY(read, view.text_in_stage(change.path));
    text = std::move(read);
  }
  return Sha256()
      .add(change.path + '\0' + change.executes + '\0' + std::to_string(change.after.mode) + '\0')
      .add(text)
      .hex();
}

Result<Json> gate_item(const stage::View& view, const stage::Change& change) {
  PALE_TRY(id, gate_id(view, change));
  return Json{{"id", id},
              {"path", sane(change.path)},
              {"reason", sane(change.executes)},
              {"message", sane(change.path + ": " + change.executes)}};
}

Result<Json> file_json(const stage::View& view, const stage::Change& change) {
  const bool directory = change.after.kind == EntryKind::Directory ||
                         (change.after.kind == EntryKind::Missing && change.before.kind == EntryKind::Directory);
  PALE_TRY(version, version_of(view, change));
  Json json = {
      {"path", sane(change.path)}, {"version", version}, {"status", status_of(change)}, {"directory", directory}};
  PALE_TRY(texts, texts_of(view, change, kMostCounted));
  const auto lines = texts.binary || directory ? stage::LineCount()
                                               : stage::count_lines({stage::VersionKind::File, 0, texts.before},
                                                                    {stage::VersionKind::File, 0, texts.after});
  json["binary"] = texts.binary;
  json["added"] = lines.added;
  json["removed"] = lines.removed;
  json["conflict"] = change.conflict != stage::Conflict::None;
  if (!change.from.empty()) json["from"] = sane(change.from);
  if (!change.protected_by.empty()) json["protected"] = sane(change.protected_by);
  if (change.executes.empty()) return json;
  PALE_TRY(id, gate_id(view, change));
  json["gate"] = id;
  return json;
}

std::string hunk_id(const std::string& text) { return Sha256().add(text).hex(); }

Result<Json> diff_json(const stage::View& view, const stage::Change& change) {
  PALE_TRY(version, version_of(view, change));  // Before its text: what comes in between makes it an old one.
  PALE_TRY(texts, texts_of(view, change, kMostShown));
  PALE_TRY(parts, service::HunkedFile::open(view, change));
  Json json = {{"path", sane(change.path)},
               {"version", version},
               {"status", status_of(change)},
               {"binary", texts.binary},
               {"before_size", change.before.size},
               {"after_size", change.after.size},
               {"whole", !parts || change.conflict != stage::Conflict::None},
               {"hunks", Json::array()},
               {"truncated", false}};
  if (texts.binary) return json;
  const Lines before = split_lines(texts.before);
  const Lines after = split_lines(texts.after);
  std::size_t shown = 0;
  for (const Hunk& hunk : hunks_of(diff_lines(before, after), before.size(), after.size())) {
    shown += hunk.old_count + hunk.new_count;
    json["truncated"] = shown > kMostLines;
    if (shown > kMostLines) return json;
    const std::string text = hunk_text(before, after, hunk);
    json["hunks"].push_back({{"id", hunk_id(text)},
                             {"header", sane(text.substr(0, text.find('\n')))},
                             {"lines", lines_of(before, after, hunk)}});
  }
  return json;
}

}  // namespace pale::studio
