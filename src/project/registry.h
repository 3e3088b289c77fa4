// project/registry.h: PALE_HOME/projects.json, the projects the user has named. Read and changed by many processes at a time;
// no change is lost, and what cannot be understood is never written over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.h"
#include "project/project.h"
#include "sys/fd.h"

namespace pale::project {

// Where in the file an entry's time stands, and which file that was.
struct TimePlace {
  std::uint64_t offset = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
};

struct Entry {
  std::string id;
  Path root = Path::root();
  std::optional<Path> manifest;
  std::int64_t last_used = 0;  // seconds since 1970
  WorkspaceType type = WorkspaceType::Registered;
  std::string name;                     // empty: the manifest has it
  std::int64_t created = 0;             // 0: the manifest has it
  JsonValue other;                      // keys that are not Pale's, kept as they are
  std::optional<TimePlace> time_place;  // if it was found in a file, and its time is as long as Pale writes it
};

class Registry {
 public:
  // A missing file is an empty registry; a broken one is an error that says where.
  static Result<Registry> load(const Path& pale_home);

  // One entry without making sense of the rest, of which there may be thousands; of an empty id, the default project's.
  // Nothing if there is none.
  static Result<std::optional<Entry>> find_in_file(const Path& pale_home, std::string_view id);

  // Notes that a project is used now, if it is registered with this root. `place`: where its time stood when it was found.
  static Status touch(const Path& pale_home, std::string_view id, const Path& root, std::int64_t now,
                      const std::optional<TimePlace>& place);
  // Moves a file that cannot be read to a name beside it; returns that name.
  static Result<std::string> set_aside(const Path& pale_home, std::int64_t now);

  const std::vector<Entry>& entries() const noexcept { return entries_; }
  const std::string& default_id() const noexcept { return default_id_; }  // empty: none
  const Entry* find(std::string_view id) const;
  const Entry* find_root(const Path& root) const;

  Status add(Entry entry);  // an id that is taken is an error
  Status remove(std::string_view id);
  Status rename(std::string_view id, const std::string& new_id);
  Status move(std::string_view id, const Path& root);
  Status set_default(std::string_view id);  // empty: none

 private:
  friend class RegistryEdit;
  static Result<Registry> read(std::string_view text, const std::string& file);
  std::string text() const;
  Result<Entry*> need(std::string_view id);

  std::vector<Entry> entries_;
  std::string default_id_;
  JsonValue other_;
};

// The registry while nobody else can change it. What is not saved is not changed.
class RegistryEdit {
 public:
  static Result<RegistryEdit> begin(const Path& pale_home);
  Status save();

  Registry registry;

 private:
  RegistryEdit(Registry loaded, sys::Fd lock, std::string file)
      : registry(std::move(loaded)), lock_(std::move(lock)), file_(std::move(file)) {}
  sys::Fd lock_;
  std::string file_;
};

std::string registry_file(const Path& pale_home);
std::unexpected<Error> no_such_project(std::string_view id);

}  // namespace pale::project
