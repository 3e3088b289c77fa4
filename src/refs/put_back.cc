#include "refs/put_back.h"

#include <fcntl.h>

#include <algorithm>

#include "git/read.h"
#include "sys/file.h"
#include "sys/tree.h"

namespace pale::refs {
namespace {

constexpr std::size_t kMostPacked = 256UL << 20U;

std::string content_of(const Ref& ref) {
  return ref.kind == RefKind::Symbolic ? "ref: " + ref.target + "\n" : ref.target + "\n";
}

class Mending {
 public:
  Mending(const Path& git, const std::vector<Ref>& before) : git_(git), before_(before) {}

  Status keep(std::vector<Verdict>& verdicts, const std::string& time) {
    const std::string below_refused = free_place(time);
    std::size_t number = 0;
    for (Verdict& verdict : verdicts) {
      if (!git::is_object_id(verdict.now) || verdict.ref.starts_with(git::kRefused)) continue;
      const std::string_view name = verdict.ref;
      std::string below(name.starts_with("refs/") ? name.substr(5) : name);
      if (!git::is_good_name(below)) below = "ref-" + std::to_string(++number);
      verdict.kept = below_refused + below;
      PALE_CHECK(write_loose({verdict.kept, RefKind::Direct, verdict.now}));
    }
    return {};
  }

  // First all that must go: a branch "a/b" stands in the way of a branch "a".
  Status put_back(const std::vector<Verdict>& verdicts) {
    PALE_CHECK(clean_packed(verdicts));
    for (const Verdict& verdict : verdicts) PALE_CHECK(remove(verdict.ref));
    for (const Verdict& verdict : verdicts) {
      const Ref* ref = git::find(before_, verdict.ref);
      if (ref != nullptr && git::is_lasting(ref->name) && ref->kind != RefKind::Odd) PALE_CHECK(write_loose(*ref));
    }
    return sys::make_directories((git_ / "refs").text(), 0777);
  }

  Status look(const std::vector<Verdict>& verdicts) const {
    PALE_TRY(now, git::read_refs(git_));
    for (const Verdict& verdict : verdicts) {
      if (!git::is_lasting(verdict.ref)) continue;
      const Ref* was = git::find(before_, verdict.ref);
      const Ref* is = git::find(now, verdict.ref);
      const bool gone = was == nullptr || was->kind == RefKind::Odd;
      if (gone ? is != nullptr : is == nullptr || *is != *was)
        return fail(ErrorKind::Mismatch, "a ref is not as it was:", verdict.ref, "git reflog; git fsck --lost-found");
    }
    return {};
  }

 private:
  // Two runs may end in the same second; what was refused of one stays beside the other's.
  std::string free_place(const std::string& time) const {
    const auto now = git::read_refs(git_);
    for (int number = 1;; ++number) {
      std::string place = std::string(git::kRefused) + time + (number == 1 ? "" : "-" + std::to_string(number)) + "/";
      const auto lies_there = [&](const Ref& ref) { return ref.name.starts_with(place); };
      if (!now || std::ranges::none_of(*now, lies_there)) return place;
    }
  }

  // "worktrees/NAME", of a name below it, if the run made it: without its HEAD it would be a broken one.
  std::string new_worktree(std::string_view name) const {
    constexpr std::string_view kWorktrees = "worktrees/";
    if (!name.starts_with(kWorktrees)) return {};
    const std::size_t end = name.find('/', kWorktrees.size());
    if (end == std::string_view::npos) return {};
    const std::string_view below = name.substr(0, end + 1);
    const bool known = std::ranges::any_of(before_, [&](const Ref& ref) { return ref.name.starts_with(below); });
    return known ? std::string() : std::string(below.substr(0, end));
  }

  // Nothing of a packed one may come to light when the loose one goes.
  Status clean_packed(const std::vector<Verdict>& verdicts) {
    const Path file = git_ / "packed-refs";
    PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
    if (info.kind == sys::FileKind::Missing) return {};
    const auto goes = [&](const std::string& name) {
      return std::ranges::any_of(verdicts, [&](const Verdict& verdict) { return verdict.ref == name; });
    };
    std::vector<Ref> refs;
    if (info.kind == sys::FileKind::File) {
      PALE_TRY(text, sys::read_file(sys::kAbsolute, file.c_str(), kMostPacked));
      refs = git::parse_packed(text);
    } else {
      PALE_CHECK(sys::remove_tree(sys::kAbsolute, file.c_str()));
    }
    const bool odd = info.kind != sys::FileKind::File || goes("packed-refs");
    if (!odd && std::ranges::none_of(refs, [&](const Ref& ref) { return goes(ref.name); })) return {};
    std::ranges::sort(refs);
    std::string packed;
    for (const Ref& ref : refs) {
      if (ref.kind == RefKind::Direct && !goes(ref.name)) packed += ref.target + " " + ref.name + "\n";
    }
    return sys::replace_file(file.text(), packed, 0644, sys::Durability::OfDisk);
  }

  Status remove(const std::string& name) {
    if (name == "packed-refs") return {};  // Its good lines were kept.
    if (name.starts_with(git::kStashLog)) return remove_from_stash(name.substr(git::kStashLog.size()));
    if (const std::string worktree = new_worktree(name); !worktree.empty())
      return sys::remove_tree(sys::kAbsolute, (git_.text() + "/" + worktree).c_str());
    // MERGE_HEAD names several.
    const std::string file = name.substr(0, git::is_lasting(name) ? name.size() : name.find('#'));
    return sys::remove_tree(sys::kAbsolute, (git_.text() + "/" + file).c_str());
  }

  Status remove_from_stash(const std::string& id) {
    const Path file = git_ / "logs/refs/stash";
    const auto text = sys::read_file(sys::kAbsolute, file.c_str(), kMostPacked);
    if (!text) return {};
    std::string kept;
    for (std::string_view rest = *text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, std::min(end + 1, rest.size()));
      rest.remove_prefix(line.size());
      if (!line.contains(id)) kept += line;
    }
    return sys::replace_file(file.text(), kept, 0644, sys::Durability::OfDisk);
  }

  Status write_loose(const Ref& ref) {
    const Path file = git_ / ref.name;
    PALE_TRY(parent, sys::file_info(sys::kAbsolute, file.parent().c_str()));
    if (parent.kind != sys::FileKind::Directory) PALE_CHECK(sys::make_directories(file.parent().text(), 0777));
    PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
    // Directories that a branch "a/b" left behind where "a" belongs.
    if (info.kind == sys::FileKind::Directory) PALE_CHECK(sys::remove_tree(sys::kAbsolute, file.c_str()));
    return sys::replace_file(file.text(), content_of(ref), 0644, sys::Durability::OfDisk);
  }

  const Path& git_;
  const std::vector<Ref>& before_;
};

}  // namespace

Status put_back(const Path& git_directory, const std::vector<Ref>& before, std::vector<Verdict>& verdicts,
                const std::string& time) {
  if (verdicts.empty()) return {};
  Mending mending(git_directory, before);
  PALE_CHECK(mending.keep(verdicts, time));
  PALE_CHECK(mending.put_back(verdicts));
  return mending.look(verdicts);
}

}  // namespace pale::refs
