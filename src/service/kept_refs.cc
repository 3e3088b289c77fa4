#include "service/kept_refs.h"

#include <algorithm>

#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::size_t kLargest = 64UL << 20U;
constexpr std::size_t kDeepest = 8;

// Those that are there now, as they were made.
Result<std::vector<git::Ref>> read_kept(const Path& file, const git::Snapshot& now) {
  PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
  if (info.kind == sys::FileKind::Missing) return std::vector<git::Ref>();
  PALE_TRY(text, sys::read_file(sys::kAbsolute, file.c_str(), kLargest));
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  PALE_TRY(refs, git::refs_of(json));
  std::erase_if(refs, [&](const git::Ref& ref) {
    const git::Ref* found = git::find(now.refs, ref.name);
    return found == nullptr || *found != ref;
  });
  return refs;
}

}  // namespace

Status add_kept_refs(const Path& file, const git::Snapshot& now, git::Snapshot& before) {
  PALE_TRY(kept, read_kept(file, now));
  for (git::Ref& ref : kept) {
    if (git::find(before.refs, ref.name) != nullptr) continue;
    before.refs.insert(std::ranges::upper_bound(before.refs, ref), std::move(ref));
  }
  return {};
}

Status note_kept_refs(const Path& file, const git::Snapshot& now, const RefReport& report) {
  if (std::ranges::all_of(report.refs, [](const RefFinding& found) { return found.kept.empty(); })) return {};
  PALE_TRY(kept, read_kept(file, now));
  for (const RefFinding& found : report.refs) {
    if (!found.kept.empty()) kept.push_back({found.kept, git::RefKind::Direct, found.now});
  }
  JsonWriter out;
  git::write_refs(out, kept);
  return sys::replace_file(file.text(), out.text() + "\n", 0600, sys::Durability::OfProcess);
}

}  // namespace pale::service
