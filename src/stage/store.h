// stage/store.h: where the stages of one project lie: PALE_HOME/stages/<project>/<name>.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/path.h"
#include "sys/fd.h"
#include "sys/file.h"

namespace pale::stage {

// A private layer over a project, or over another stage of it.
struct Stage {
  std::string name;
  Path directory;
  std::int64_t began_ns = 0;
  std::string on;            // the stage beneath it; empty: the project
  std::vector<Path> layers;  // its own, which takes the changes, then those it stands on; not the project itself

  const Path& upper() const noexcept { return layers.front(); }
};

// Letters, digits, '.', '_' and '-', not beginning with '.' or '-'.
bool is_stage_name(std::string_view name) noexcept;

class Store {
 public:
  // `directory`: of this project's stages; need not exist.
  Store(Path directory, Path root) : directory_(std::move(directory)), root_(std::move(root)) {}

  const Path& directory() const noexcept { return directory_; }
  const Path& root() const noexcept { return root_; }
  Path history() const { return directory_ / ".history"; }

  Result<std::optional<Stage>> find(const std::string& name) const;
  Result<std::vector<Stage>> list() const;
  // What `create` would make, so far only thought of.
  Result<Stage> imagine(const std::string& name, const std::string& on) const;
  // Locked, for whoever made it. Refuses a name that is taken.
  Result<sys::Fd> create(const Stage& stage) const;
  static Status remove(const Stage& stage);
  // Nothing is in it: what lies beneath it now is what it begins with.
  static Status begin_anew(const Stage& stage);
  // One in which nothing was changed: its directories serve the next new one. To make and remove them takes longer than the
  // overlay itself.
  Status put_aside(const Stage& stage) const;
  Result<std::string> free_name() const;

 private:
  Result<std::vector<Path>> layers_for(const std::string& name, const std::string& on) const;
  static Status fill(const Stage& stage, unsigned mode);
  Result<std::optional<sys::Fd>> take_spare(const Stage& stage, unsigned mode) const;
  Path spare() const { return directory_ / ".spare"; }

  Path directory_;
  Path root_;
};

// Whoever works in a stage has it to himself; whoever stands on it or looks at it shares it.
Result<sys::Fd> lock_stage(const Stage& stage, sys::LockKind kind);
// The stages beneath one, for as long as the descriptors are open: the nearest as told, the others shared.
Result<std::vector<sys::Fd>> lock_beneath(const Stage& stage, sys::LockKind nearest);

}  // namespace pale::stage
