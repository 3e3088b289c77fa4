#include "stage/patch.h"

#include <algorithm>
#include <vector>

#include "base/hunk.h"
#include "base/line_diff.h"

namespace pale::stage {
namespace {

constexpr std::string_view kNowhere = "/dev/null";

// --- names ------------------------------------------------------------------------------------------------------------

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
}

std::string escaped(char c) {
  constexpr std::string_view kBytes = "\a\b\t\n\v\f\r\"\\";
  constexpr std::string_view kLetters = "abtnvfr\"\\";
  const std::size_t at = kBytes.find(c);
  if (at != std::string_view::npos) return {'\\', kLetters[at]};
  const auto byte = static_cast<unsigned char>(c);
  const auto digit = [&](unsigned shift) { return static_cast<char>('0' + ((byte >> shift) & 7U)); };
  return {'\\', digit(6), digit(3), digit(0)};
}

std::string in_quotes(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) is_plain(c) ? text.append(1, c) : text.append(escaped(c));
  return text + "\"";
}

// As a C string, if a byte of it would be misunderstood otherwise.
std::string quoted(const std::string& name) {
  return std::all_of(name.begin(), name.end(), is_plain) ? name : in_quotes(name);
}

// In the first line, where two names follow each other: `patch` ends a name at a space.
std::string quoted_in_pair(const std::string& name) { return name.contains(' ') ? in_quotes(name) : quoted(name); }

// In a "---" or "+++" line. A tab says that the spaces before it belong to the name; `patch` cuts off the last ones anyway.
std::string with_tab(const std::string& name) {
  return (name.ends_with(' ') ? in_quotes(name) : quoted(name)) + (name.contains(' ') ? "\t" : "");
}

// --- one change -------------------------------------------------------------------------------------------------------

// A file's two versions, of which none is missing, or one; and their names, with a/ and b/ or /dev/null.
struct Versions {
  const Version& before;
  const Version& after;
  std::string old_path, new_path;

  std::string old_name() const { return before.kind == VersionKind::Missing ? std::string(kNowhere) : "a/" + old_path; }
  std::string new_name() const { return after.kind == VersionKind::Missing ? std::string(kNowhere) : "b/" + new_path; }
};

bool is_binary_file(const Version& version) { return version.kind == VersionKind::File && is_binary(version.text); }

std::string_view git_mode(const Version& version) {
  constexpr unsigned kOwnerMayExecute = 0100;
  if (version.kind == VersionKind::Symlink) return "120000";
  return (version.mode & kOwnerMayExecute) != 0 ? "100755" : "100644";
}

std::string line(std::string_view key, std::string_view value) {
  return std::string(key).append(" ").append(value).append("\n");
}

struct LineDiff {
  std::vector<std::string_view> before, after;
  std::vector<Edit> edits;

  LineDiff(std::string_view old_text, std::string_view new_text)
      : before(split_lines(old_text)), after(split_lines(new_text)), edits(diff_lines(before, after)) {}
};

// How much of the larger version is in the other as well. For people: nothing depends on it.
std::size_t percent_kept(const Versions& change, const LineDiff& diff) {
  const std::size_t size = std::max(change.before.text.size(), change.after.text.size());
  std::size_t kept = change.before.text.size();
  for (const Edit& edit : diff.edits) {
    for (std::size_t at = edit.old_begin; at < edit.old_end; ++at) kept -= diff.before[at].size();
  }
  return size == 0 ? 100 : kept * 100 / size;
}

std::string header(const Versions& change, const LineDiff& diff) {
  // In this line a missing version has a name too.
  const std::string names = quoted_in_pair("a/" + change.old_path) + " " + quoted_in_pair("b/" + change.new_path);
  std::string text = line("diff --git", names);
  if (change.before.kind == VersionKind::Missing) return text + line("new file mode", git_mode(change.after));
  if (change.after.kind == VersionKind::Missing) return text + line("deleted file mode", git_mode(change.before));
  // `patch` touches a link only if it is told that it is one.
  if (change.after.kind == VersionKind::Symlink || git_mode(change.before) != git_mode(change.after)) {
    text += line("old mode", git_mode(change.before)) + line("new mode", git_mode(change.after));
  }
  if (change.old_path != change.new_path) {
    text += line("similarity index", std::to_string(percent_kept(change, diff)) + "%");
    text += line("rename from", quoted(change.old_path)) + line("rename to", quoted(change.new_path));
  }
  return text;
}

std::string binary_line(const Versions& change) {
  return "Binary files " + quoted(change.old_name()) + " and " + quoted(change.new_name()) + " differ\n";
}

// Both versions are of one kind, or one is missing.
std::string single_patch(const Versions& change) {
  const LineDiff diff(change.before.text, change.after.text);
  std::string text = header(change, diff);
  if (diff.edits.empty()) return text;
  text += line("---", with_tab(change.old_name())) + line("+++", with_tab(change.new_name()));
  for (const Hunk& hunk : hunks_of(diff.edits, diff.before.size(), diff.after.size())) {
    text += hunk_text(diff.before, diff.after, hunk);
  }
  return text;
}

bool same_contents(const Version& a, const Version& b) { return a.kind == b.kind && a.text == b.text; }

bool becomes_another_kind(const Version& before, const Version& after) {
  return before.kind != after.kind && before.kind != VersionKind::Missing && after.kind != VersionKind::Missing;
}

bool needs_binary_data(const Version& before, const Version& after) {
  return !same_contents(before, after) && (is_binary_file(before) || is_binary_file(after));
}

}  // namespace

std::string patch_of(std::string_view path, const Version& before, const Version& after,
                     std::string_view renamed_from) {
  const bool missing = before.kind == VersionKind::Missing || after.kind == VersionKind::Missing;
  const std::string_view old_path = renamed_from.empty() || missing ? path : renamed_from;
  const bool same = same_contents(before, after) && git_mode(before) == git_mode(after) && old_path == path;
  if (same || (before.kind == VersionKind::Missing && after.kind == VersionKind::Missing)) return {};

  const Versions change{before, after, std::string(old_path), std::string(path)};
  if (needs_binary_data(before, after)) return binary_line(change);
  if (!becomes_another_kind(before, after)) return single_patch(change);
  const Version nothing;
  return single_patch({before, nothing, change.old_path, change.old_path}) +
         single_patch({nothing, after, change.new_path, change.new_path});
}

bool is_binary(std::string_view text) {
  constexpr std::size_t kLookedAt = 8000;
  return text.substr(0, kLookedAt).contains('\0');
}

LineCount count_lines(const Version& before, const Version& after) {
  if (needs_binary_data(before, after) || same_contents(before, after)) return {};
  if (becomes_another_kind(before, after)) {
    return {split_lines(after.text).size(), split_lines(before.text).size()};
  }
  LineCount count;
  for (const Edit& edit : LineDiff(before.text, after.text).edits) {
    count.removed += edit.old_end - edit.old_begin;
    count.added += edit.new_end - edit.new_begin;
  }
  return count;
}

}  // namespace pale::stage
