#include "studio/areas.h"

#include <fcntl.h>

#include <algorithm>
#include <set>

#include "boundary/rule.h"
#include "sys/file.h"

namespace pale::studio {
namespace {

constexpr std::size_t kMostNodes = 400;
constexpr std::size_t kMostChildren = 60;  // of one directory
constexpr std::size_t kDeepest = 256;

struct Area {
  std::string path;
  std::string name;
  bool directory = true;
  std::string state;
  std::string rule;
  bool mixed = false;
  bool ruled = false;  // a rule is about this very path
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<Area> children;
  std::size_t more = 0;
};

bool has_rule(const Boundary& boundary, const Path& path) {
  const auto same = [&](const auto& rule) { return rule.path == path; };
  const bool matched = std::ranges::any_of(boundary.protections(), [&](const Protection& rule) {
    return rule.path == path || (rule.match == Match::Glob && rule.path.parent() == path.parent() && rule.covers(path));
  });
  return matched || std::ranges::any_of(boundary.grants(), same);
}

bool has_rule_below(const Boundary& boundary, const Path& path) {
  const auto below = [&](const auto& rule) { return path.covers(rule.path) && rule.path != path; };
  return std::ranges::any_of(boundary.grants(), below) || std::ranges::any_of(boundary.protections(), below);
}

// Also a folder of a staged project that has a grant of its own: what is written there goes to the stage, as the plan has it.
bool is_in_stage(const Boundary& boundary, const Grant& grant) {
  return std::ranges::any_of(boundary.grants(), [&](const Grant& staged) {
    if (staged.layers.empty() || !staged.covers(grant.path)) return false;
    return staged.path == grant.path || staged.source / staged.path.below(grant.path) == grant.source;
  });
}

class Survey {
 public:
  Survey(const Boundary& boundary, const Path& root) : boundary_(boundary), root_(root) {}

  Area look(const sys::Fd& directory, const std::string& path, std::size_t depth) {
    Area area = named(path, true);
    fill(directory, area, depth, 0);
    return area;
  }

 private:
  Area named(const std::string& path, bool directory) const {
    const Path whole = path.empty() ? root_ : root_ / path;
    Area area;
    area.path = path;
    area.name = path.empty() ? std::string(root_.name()) : path.substr(path.rfind('/') + 1);
    area.directory = directory;
    area.state = state_at(boundary_, whole);
    area.rule = rule_at(boundary_, whole);
    area.ruled = has_rule(boundary_, whole);
    area.mixed = directory && has_rule_below(boundary_, whole);
    return area;
  }

  // Below `depth` only the numbers count.
  void fill(const sys::Fd& directory, Area& area, std::size_t depth, std::size_t down) {
    auto entries = sys::list_directory(directory);
    if (!entries || down > kDeepest) return;
    for (const sys::Entry& entry : *entries) {
      if (entry.kind == sys::FileKind::Directory) {
        add_directory(directory, entry.name, area, depth, down);
      } else {
        add_file(directory, entry.name, area, depth);
      }
    }
    keep_the_largest(area);
  }

  static std::string below(const Area& area, const std::string& name) {
    return area.path.empty() ? name : area.path + "/" + name;
  }

  void add_directory(const sys::Fd& above, const std::string& name, Area& area, std::size_t depth, std::size_t down) {
    const auto opened = sys::open_at(above.borrow(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    Area child = depth > 0 ? named(below(area, name), true) : Area();
    if (opened) fill(*opened, child, depth > 0 ? depth - 1 : 0, down + 1);
    area.files += child.files;
    area.bytes += child.bytes;
    if (depth > 0) area.children.push_back(std::move(child));
  }

  void add_file(const sys::Fd& directory, const std::string& name, Area& area, std::size_t depth) {
    const auto info = sys::file_info(directory.borrow(), name.c_str());
    const std::uint64_t size = info ? info->size : 0;
    area.files += 1;
    area.bytes += size;
    if (depth == 0) return;
    const std::string path = below(area, name);
    if (!has_rule(boundary_, root_ / path)) return;
    Area child = named(path, false);
    child.files = 1;
    child.bytes = size;
    area.children.push_back(std::move(child));
  }

  // Those that a rule is about come first: they are what the picture is for.
  static void keep_the_largest(Area& area) {
    std::ranges::stable_sort(area.children, [](const Area& left, const Area& right) {
      const bool left_first = left.ruled || left.mixed;
      const bool right_first = right.ruled || right.mixed;
      return left_first != right_first ? left_first : left.files > right.files;
    });
    if (area.children.size() <= kMostChildren) return;
    area.more += area.children.size() - kMostChildren;
    area.children.resize(kMostChildren);
  }

  const Boundary& boundary_;
  const Path& root_;
};

// As many nodes as a picture can hold, level by level.
void prune(Area& top) {
  std::vector<Area*> level = {&top};
  std::size_t nodes = 1;
  while (!level.empty()) {
    std::vector<Area*> next;
    for (Area* area : level) {
      const std::size_t kept = std::min(area->children.size(), kMostNodes - std::min(nodes, kMostNodes));
      area->more += area->children.size() - kept;
      area->children.resize(kept);
      nodes += kept;
    }
    for (Area* area : level) {
      for (Area& child : area->children) next.push_back(&child);
    }
    level = std::move(next);
  }
}

Json to_json(const Area& area) {
  Json children = Json::array();
  for (const Area& child : area.children) children.push_back(to_json(child));
  return {{"path", sane(area.path)}, {"name", sane(area.name)}, {"directory", area.directory},
          {"state", area.state},     {"mixed", area.mixed},     {"rule", sane(area.rule)},
          {"files", area.files},     {"bytes", area.bytes},     {"children", std::move(children)},
          {"more", area.more}};
}

}  // namespace

std::string state_at(const Boundary& boundary, const Path& path) {
  const Standing standing = standing_at(boundary, path);
  if (standing.ground != Ground::Grant) return standing.ground == Ground::Nothing ? "hidden" : "readonly";
  switch (access_at(boundary, *standing.grant, path)) {
    case Access::None: return "hidden";
    case Access::List: return "listed";
    case Access::Read: return standing.grant->access == Access::Write ? "protected" : "readonly";
    case Access::Write: break;
  }
  return is_in_stage(boundary, *standing.grant) ? "staged" : "writable";
}

std::string rule_at(const Boundary& boundary, const Path& path) {
  const Protection* protection = boundary.protection_for(path);
  const Rule rule = protection != nullptr ? rule_of(*protection) : rule_of(standing_at(boundary, path));
  return rule.origin.empty() ? rule.text : rule.text + " (" + rule.origin + ")";
}

Answer areas_of(const Boundary& boundary, const Path& root, const std::string& place, std::size_t depth) {
  const auto parsed = place.empty() ? Result<Path>(root) : Path::parse(root.text() + "/" + place);
  if (!parsed || !root.covers(*parsed))
    return refuse(Fault(400, "usage", "not a path in the project: " + place, "a path from its root, without .."));
  PALE_TRY(directory, sys::open_at(sys::kAbsolute, parsed->c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(real, sys::path_of(directory));
  if (real != parsed->text())
    return refuse(Fault(400, "usage", "this leads through a link: " + place, "name where it leads"));
  Area top = Survey(boundary, root).look(directory, std::string(root.below(*parsed)), depth);
  prune(top);
  return to_json(top);
}

Json changed_areas(const Boundary& before, const Boundary& after, const Path& root) {
  std::set<std::string> places = {root.text()};
  for (const Boundary* each : {&before, &after}) {
    for (const Grant& grant : each->grants()) places.insert(grant.path.text());
    for (const Protection& protection : each->protections()) places.insert(protection.path.text());
  }
  Json changed = Json::array();
  for (const std::string& place : places) {
    const auto path = Path::parse(place);
    if (!path || !root.covers(*path)) continue;
    const std::string was = state_at(before, *path);
    const std::string is = state_at(after, *path);
    if (was == is) continue;
    changed.push_back({{"path", sane(std::string(root.below(*path)))}, {"before", was}, {"after", is}});
  }
  return changed;
}

}  // namespace pale::studio
