#include "sandbox/survey.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <ranges>

#include "boundary/json.h"
#include "sandbox/layers.h"
#include "sys/file.h"
#include "sys/landlock.h"
#include "sys/terminal.h"

namespace pale::sandbox {
namespace {

constexpr std::size_t kMostText = 1UL << 20U;
constexpr std::string_view kSystemNames[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

plan::Kind to_kind(sys::FileKind kind) {
  switch (kind) {
    case sys::FileKind::Missing: return plan::Kind::Missing;
    case sys::FileKind::File: return plan::Kind::File;
    case sys::FileKind::Directory: return plan::Kind::Directory;
    case sys::FileKind::Symlink: return plan::Kind::Symlink;
    case sys::FileKind::Other: return plan::Kind::Other;
  }
  return plan::Kind::Missing;
}

class Surveyor {
 public:
  Surveyor(plan::Facts& facts, const Boundary& boundary) : facts_(facts), boundary_(boundary) {}

  plan::Kind look(const Path& path) {
    const auto known = std::ranges::find(facts_.paths, path, &plan::PathFact::path);
    if (known != facts_.paths.end()) return known->kind;
    const auto info = info_of(path);
    const plan::Kind kind = info ? to_kind(info->kind) : plan::Kind::Other;
    facts_.paths.push_back({path, kind, kind == plan::Kind::File && info->links > 1});
    return kind;
  }

  // From the grant's source down, until something is missing.
  void look_down(const Grant& grant, const Protection& protection) {
    const Path full = grant.source / grant.path.below(protection.path);
    std::vector<Path> way;
    for (Path path = full.parent(); path != grant.source && grant.source.covers(path); path = path.parent())
      way.push_back(path);
    for (const Path& path : way | std::views::reverse) {
      if (look(path) != plan::Kind::Directory) return;
    }
    if (protection.match == Match::Exact) {
      look(full);
    } else {
      look_at_matches(full);
    }
  }

 private:
  // There is at most one stage: over the project.
  const Grant* find_stage() const {
    const auto found =
        std::ranges::find_if(boundary_.grants(), [](const Grant& grant) { return !grant.layers.empty(); });
    if (found == boundary_.grants().end()) return nullptr;
    // A new stage shows what lies beneath it.
    const bool fresh = found->layers.size() == 1 && !sys::may_write(found->layers.front().c_str());
    return fresh ? nullptr : &*found;
  }
  bool is_staged(const Path& path) const { return staged_ != nullptr && staged_->source.covers(path); }

  // As it will be seen inside: through the layers of a stage, if there is one.
  Result<sys::FileInfo> info_of(const Path& path) {
    if (!is_staged(path) || staged_->source == path) return sys::file_info(sys::kAbsolute, path.c_str());
    PALE_TRY(place, place_of(path));
    return place.directory.look(place.name.c_str());
  }

  Result<LayeredPlace> place_of(const Path& path) {
    if (!layers_) {
      PALE_TRY(top, LayeredDirectory::open(layers_of(*staged_)));
      layers_.emplace(std::move(top));
    }
    return find_place(*layers_, staged_->source == path ? "." : staged_->source.below(path));
  }

  Result<std::vector<sys::Entry>> entries_of(const Path& directory) {
    if (is_staged(directory)) {
      PALE_TRY(place, place_of(directory));
      PALE_TRY(itself, place.directory.enter(place.name.c_str()));
      return itself.list();
    }
    PALE_TRY(fd, sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    return sys::list_directory(fd);
  }

  void look_at_matches(const Path& pattern) {
    const Path directory = pattern.parent();
    const auto entries = entries_of(directory);
    if (!entries) return;
    for (const sys::Entry& entry : *entries) {
      if (name_matches(pattern.name(), entry.name)) look(directory / entry.name);
    }
  }

  plan::Facts& facts_;
  const Boundary& boundary_;
  const Grant* staged_ = find_stage();
  std::optional<LayeredDirectory> layers_;
};

// Two lines of heading, then one an interface.
bool only_loopback() {
  const auto text = sys::read_file(sys::kAbsolute, "/proc/net/dev", kMostText);
  return text && std::ranges::count(*text, '\n') == 3 && text->find("\n    lo:") != std::string::npos;
}

std::string caller_terminal() {
  if (!sys::is_terminal(0)) return {};
  const auto path = sys::read_link(sys::kAbsolute, "/proc/self/fd/0");
  return path && path->starts_with("/dev/") ? *path : std::string();
}

}  // namespace

std::vector<plan::Link> system_links() {
  std::vector<plan::Link> links;
  for (const std::string_view name : kSystemNames) {
    const auto target = sys::read_link(sys::kAbsolute, std::string(name).c_str());
    if (target) links.push_back({Path::literal(name), *target});
  }
  return links;
}

Result<std::optional<Boundary>> look_around() {
  const std::string file(plan::kBoundaryFile);
  if (!sys::on_read_only_mount(sys::kAbsolute, file.c_str())) return std::nullopt;
  PALE_TRY(text, sys::read_file(sys::kAbsolute, file.c_str(), kMostText));
  PALE_TRY(outer, boundary_from_json(text));
  return outer;
}

plan::Facts survey(const Boundary& boundary, const std::optional<Boundary>& outer,
                   const std::vector<plan::Link>& links) {
  plan::Facts facts;
  Surveyor surveyor(facts, boundary);
  for (const Grant& grant : boundary.grants()) surveyor.look(grant.source);
  surveyor.look(Path::literal(plan::kKeysFile));
  for (const Protection& protection : boundary.protections()) {
    const Grant* grant = boundary.grant_for(protection.path);
    if (grant != nullptr && grant->access == Access::Write) surveyor.look_down(*grant, protection);
  }
  // Whatever lies above a nested grant is pinned if it exists.
  for (const Grant& grant : boundary.grants()) {
    for (Path path = grant.path.parent(); !path.is_root(); path = path.parent()) {
      const Grant* above = boundary.grant_for(path);
      if (above == nullptr || above->access != Access::Write || above->path == path) break;
      surveyor.look(above->source / above->path.below(path));
    }
  }
  facts.system_links = links;
  facts.landlock_abi = sys::landlock_abi();
  facts.outer = outer;
  facts.listener_taken = outer.has_value();
  facts.only_loopback = outer.has_value() && only_loopback();
  facts.terminal = caller_terminal();
  return facts;
}

}  // namespace pale::sandbox
