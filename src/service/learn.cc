#include "service/learn.h"

#include <algorithm>

#include "base/json.h"
#include "base/toml_edit.h"

namespace pale::service {
namespace {

using sandbox::Act;
using sandbox::Sighting;

constexpr std::size_t kMostSiblings = 8;  // more folders in one folder mean that one

struct Need {
  Path folder;
  bool changes;
};
using Needs = std::vector<Need>;  // sorted by their folders, each once

bool changes(Act act) { return act != Act::Read && act != Act::Execute; }
// The folder that an access needs; of a file at the root, the file. A manifest has no way to name what is not UTF-8.
Path needed(const Path& root, const Sighting& sighting) {
  const Path path = Path::literal(sighting.path);
  Path need = path.parent() == root && !needs_directory(sighting.act) ? path : path.parent();
  while (!is_utf8(need.text())) need = need.parent();
  return need;
}

// The one for a folder itself, or null.
Need* find(Needs& needs, const Path& folder) {
  const auto found = std::ranges::lower_bound(needs, folder, {}, &Need::folder);
  return found != needs.end() && found->folder == folder ? &*found : nullptr;
}

Need* find_above(Needs& needs, const Path& folder) {
  for (Path above = folder;; above = above.parent()) {
    Need* found = find(needs, above);
    if (found != nullptr || above.is_root()) return found;
  }
}

// A folder needs nothing of what lies in it. Whatever is above another comes before it.
Needs without_nested(Needs needs) {
  std::ranges::sort(needs, {}, &Need::folder);
  Needs kept;
  for (Need& need : needs) {
    if (Need* above = find_above(kept, need.folder); above != nullptr) {
      above->changes |= need.changes;
    } else {
      kept.push_back(std::move(need));
    }
  }
  return kept;
}

// Many folders side by side become the one that holds them, as long as that is not the root.
Needs with_few_siblings(const Path& root, Needs needs) {
  for (;;) {
    std::vector<Path> parents;
    for (const Need& need : needs) parents.push_back(need.folder.parent());
    std::ranges::sort(parents);
    const auto is_many = [&](const Path& parent) {
      return parent != root && static_cast<std::size_t>(std::ranges::count(parents, parent)) > kMostSiblings;
    };
    const auto many = std::ranges::find_if(parents, is_many);
    if (many == parents.end()) return needs;
    needs.push_back({*many, false});
    needs = without_nested(std::move(needs));
  }
}

}  // namespace

bool needs_directory(Act act) noexcept {
  return act == Act::Create || act == Act::Remove || act == Act::Rename || act == Act::Link;
}

Learnt learn_from(const Path& root, const std::vector<Sighting>& sightings) {
  Learnt learnt;
  Needs needs;
  std::vector<std::string> created;
  const Path git = root / ".git";
  for (const Sighting& sighting : sightings) {
    if (sighting.kind == Sighting::Kind::Reached) learnt.reached.push_back(sighting.path);
    if (sighting.kind != Sighting::Kind::Used) continue;
    if (sighting.path == git.text()) {
      learnt.git = std::max(learnt.git, changes(sighting.act) ? Learnt::Git::Changed : Learnt::Git::Read);
      continue;
    }
    if (sighting.act == Act::Create) created.push_back(sighting.path);
    needs.push_back({needed(root, sighting), changes(sighting.act)});
  }
  // What is made at the root and then worked in is a folder that has to be there before; else the root itself is needed.
  const auto worked_in = [&](const std::string& made) {
    return std::ranges::any_of(sightings,
                               [&](const Sighting& sighting) { return sighting.path.starts_with(made + "/"); });
  };
  const auto names_at_root = [&](const Sighting& sighting) {
    return sighting.kind == Sighting::Kind::Used && needs_directory(sighting.act) &&
           Path::literal(sighting.path).parent() == root && sighting.path != git.text() &&
           (sighting.act != Act::Create || !worked_in(sighting.path));
  };
  const auto unnamed = [&](const Sighting& sighting) {
    return sighting.kind == Sighting::Kind::Used && !needs_directory(sighting.act) && needed(root, sighting) == root;
  };
  // At the root it is a name that is changed, and not what lies in something of that name.
  const auto stays = [&](const Path& path) {
    return std::ranges::none_of(sightings, [&](const Sighting& sighting) {
      return sighting.kind == Sighting::Kind::Used && changes(sighting.act) &&
             path.covers(Path::literal(sighting.path));
    });
  };
  learnt.whole = std::ranges::any_of(sightings, names_at_root) || std::ranges::any_of(sightings, unnamed);
  std::erase_if(needs, [&](const Need& need) { return need.folder == root; });
  for (const Need& need : with_few_siblings(root, without_nested(std::move(needs)))) {
    const std::string relative(root.below(need.folder));
    const bool glob = relative.find_first_of("*?") != std::string::npos;  // would mean others as well
    if (!need.changes && !glob && (!learnt.whole || stays(need.folder))) learnt.read_only.push_back(relative);
    if (learnt.whole) continue;
    learnt.folders.push_back(relative);
    const bool made =
        std::ranges::any_of(created, [&](const auto& each) { return Path::literal(each).covers(need.folder); });
    if (made) learnt.made.push_back(relative);
  }
  return learnt;
}

std::string to_manifest(const Learnt& learnt, const std::string& head) {
  std::string text = head + "\n[workspace]\n";
  if (!learnt.nothing() && !learnt.whole) text += "folders = " + toml_list(learnt.folders) + "\nmode = \"strict\"\n";
  switch (learnt.git) {
    case Learnt::Git::Unused: text += "git = \"none\"\n"; break;
    case Learnt::Git::Read: text += "git = \"read\"\n"; break;
    case Learnt::Git::Changed: text += "git = \"commit\"\n"; break;
  }
  if (learnt.nothing()) text += "\n[agent]\ntrust = \"discovery\"\n";
  if (!learnt.read_only.empty()) text += "\n[agent]\nprotected = " + toml_list(learnt.read_only) + "\n";
  if (!learnt.hosts.empty()) {
    text += "\n[network]\nmode = \"allow\"\nallow = " + toml_list(learnt.hosts) + "\n";
  } else if (!learnt.reached.empty()) {
    text += "\n[network]\nmode = \"open\"\n";
  }
  return text;
}

}  // namespace pale::service
