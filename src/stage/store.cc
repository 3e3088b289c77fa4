#include "stage/store.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_value.h"
#include "base/text.h"
#include "sys/event.h"
#include "sys/process.h"
#include "sys/tree.h"

namespace pale::stage {
namespace {

constexpr std::size_t kMostName = 64;
constexpr std::size_t kMostRecord = 4096;
constexpr std::size_t kMostDepth = 16;  // of stages on stages
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
}

std::string to_json(const Stage& stage) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("name", stage.name).field("on", stage.on);
  out.field("began_ns", static_cast<std::uint64_t>(stage.began_ns)).end_object();
  return out.text() + "\n";
}

Result<Stage> from_json(const std::string& text, const Path& directory) {
  const auto json = JsonValue::parse(text, 2);
  const JsonValue* on = json ? json->find("on") : nullptr;
  const JsonValue* began = json ? json->find("began_ns") : nullptr;
  const auto number = began == nullptr ? std::nullopt : began->whole_number();
  if (on == nullptr || on->text() == nullptr || !number)
    return fail(ErrorKind::System, "the stage's own file cannot be read:", (directory / "stage.json").text(),
                "pale stage discard " + std::string(directory.name()));
  return Stage{std::string(directory.name()), directory, static_cast<std::int64_t>(*number), *on->text(), {}};
}

// Nothing if there is no stage, or one that was never finished.
Result<std::optional<Stage>> read_stage(const Path& directory) {
  const Path file = directory / "stage.json";
  PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
  if (info.kind == sys::FileKind::Missing) return std::nullopt;
  PALE_TRY(text, sys::read_file(sys::kAbsolute, file.c_str(), kMostRecord));
  PALE_TRY(stage, from_json(text, directory));
  return stage;
}

// In the place of what is there, if it is as long: a number changes. To make the file anew costs as much as a directory.
Result<bool> write_over(const sys::Fd& directory, const std::string& text) {
  PALE_TRY(file, sys::open_at(directory.borrow(), "stage.json", O_RDWR | O_NOFOLLOW));
  PALE_TRY(info, sys::file_info(file));
  if (info.size != text.size()) return false;
  PALE_CHECK(sys::write_at(file, 0, text));
  return true;
}

}  // namespace

bool is_stage_name(std::string_view name) noexcept {
  const auto fits = [](char letter) { return is_letter(letter) || letter == '.' || letter == '_' || letter == '-'; };
  return !name.empty() && name.size() <= kMostName && is_letter(name.front()) && std::ranges::all_of(name, fits);
}

Result<std::optional<Stage>> Store::find(const std::string& name) const {
  PALE_TRY(stage, read_stage(directory_ / name));
  if (!stage) return std::nullopt;
  PALE_TRY(layers, layers_for(name, stage->on));
  stage->layers = std::move(layers);
  return stage;
}

Result<std::vector<Path>> Store::layers_for(const std::string& name, const std::string& on) const {
  std::vector<Path> layers = {directory_ / name / "upper"};
  std::string next = on;
  for (std::size_t depth = 0; !next.empty(); ++depth) {
    PALE_TRY(beneath, read_stage(directory_ / next));
    if (!beneath || depth == kMostDepth)
      return fail(ErrorKind::NotFound, "the stage '" + name + "' stands on one that is gone:", next,
                  "pale stage discard " + name);
    layers.push_back(directory_ / next / "upper");
    next = beneath->on;
  }
  return layers;
}

Result<std::vector<Stage>> Store::list() const {
  std::vector<Stage> stages;
  PALE_TRY(info, sys::file_info(sys::kAbsolute, directory_.c_str()));
  if (info.kind == sys::FileKind::Missing) return stages;
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, directory_.c_str(), kDirectory));
  PALE_TRY(entries, sys::list_directory(fd));
  for (const sys::Entry& entry : entries) {
    if (entry.kind != sys::FileKind::Directory || !is_stage_name(entry.name)) continue;
    PALE_TRY(stage, find(entry.name));
    if (stage) stages.push_back(std::move(*stage));
  }
  std::ranges::sort(stages, {}, &Stage::began_ns);
  return stages;
}

Result<Stage> Store::imagine(const std::string& name, const std::string& on) const {
  if (!is_stage_name(name))
    return fail(ErrorKind::Usage, "not a name for a stage:", name, "letters, digits, '.', '_' and '-', such as fix-42");
  PALE_TRY(beneath, on.empty() ? Result<std::optional<Stage>>(std::nullopt) : read_stage(directory_ / on));
  if (!on.empty() && !beneath)
    return fail(ErrorKind::NotFound, "there is no stage to stand on called", on, "pale stage list");
  PALE_TRY(layers, layers_for(name, on));
  return Stage{name, directory_ / name, sys::wall_clock_ns(), on, std::move(layers)};
}

Result<std::optional<sys::Fd>> Store::take_spare(const Stage& stage, unsigned mode) const {
  auto fd = sys::open_at(sys::kAbsolute, spare().c_str(), kDirectory);
  if (!fd) return std::nullopt;
  PALE_TRY(lock, sys::try_lock(*fd, sys::LockKind::Exclusive));
  PALE_TRY(upper, sys::file_info(fd->borrow(), "upper"));
  if (lock == sys::Lock::Held || upper.kind != sys::FileKind::Directory) return std::nullopt;
  if (upper.mode != mode) PALE_CHECK(sys::set_mode(fd->borrow(), "upper", mode));
  PALE_TRY(written, write_over(*fd, to_json(stage)));
  if (!written) return std::nullopt;
  if (!sys::rename_to_free(sys::kAbsolute, spare().c_str(), sys::kAbsolute, stage.directory.c_str()))
    return std::nullopt;
  return std::move(*fd);
}

Status Store::put_aside(const Stage& stage) const {
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, stage.directory.c_str(), kDirectory));
  PALE_TRY(entries, sys::list_directory(fd));
  const bool clean = entries.size() == 3;  // upper, work and stage.json, and nothing that was remembered
  if (clean && sys::rename_to_free(sys::kAbsolute, stage.directory.c_str(), sys::kAbsolute, spare().c_str())) return {};
  return remove(stage);
}

Result<sys::Fd> Store::create(const Stage& stage) const {
  PALE_TRY(root, sys::file_info(sys::kAbsolute, root_.c_str()));
  PALE_TRY(spare, take_spare(stage, root.mode));
  if (spare) return std::move(*spare);
  PALE_CHECK(sys::make_directories(stage.directory.text(), 0700));
  PALE_TRY(lock, lock_stage(stage, sys::LockKind::Exclusive));
  PALE_TRY(there, read_stage(stage.directory));
  if (there) return fail(ErrorKind::Refused, "there is a stage already called", stage.name, "pale stage list");
  PALE_CHECK(fill(stage, root.mode));
  return lock;
}

// What is seen at the top of an overlay is its layer's own directory: it must look like the project's.
Status Store::fill(const Stage& stage, unsigned mode) {
  const unsigned umask = sys::set_umask(0);
  Status done = sys::make_directory(sys::kAbsolute, stage.upper().c_str(), mode);
  if (done) done = sys::make_directory(sys::kAbsolute, (stage.directory / "work").c_str(), 0700);
  (void)sys::set_umask(umask);
  if (!done) return done;
  // Last: without it there is no stage.
  return sys::replace_file((stage.directory / "stage.json").text(), to_json(stage), 0600, sys::Durability::OfProcess);
}

Status Store::remove(const Stage& stage) {
  PALE_CHECK(sys::remove_file(sys::kAbsolute, (stage.directory / "stage.json").c_str()));
  return sys::remove_tree(sys::kAbsolute, stage.directory.c_str());
}

Status Store::begin_anew(const Stage& stage) {
  Stage again = stage;
  again.began_ns = sys::wall_clock_ns();
  PALE_TRY(directory, sys::open_at(sys::kAbsolute, stage.directory.c_str(), kDirectory));
  PALE_TRY(written, write_over(directory, to_json(again)));
  // Else what it remembers goes on to be right.
  for (const char* name : {"originals", "known"}) {
    if (written) PALE_CHECK(sys::remove_tree(directory.borrow(), name));
  }
  return {};
}

Result<std::string> Store::free_name() const {
  for (std::size_t number = 1;; ++number) {
    std::string name = "s" + std::to_string(number);
    PALE_TRY(info, sys::file_info(sys::kAbsolute, (directory_ / name).c_str()));
    if (info.kind == sys::FileKind::Missing) return name;
  }
}

Result<sys::Fd> lock_stage(const Stage& stage, sys::LockKind kind) {
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, stage.directory.c_str(), kDirectory));
  PALE_TRY(lock, sys::try_lock(fd, kind));
  if (lock == sys::Lock::Held)
    return fail(ErrorKind::Refused, "another command is working in the stage", stage.name,
                "wait for it to end; or begin another stage");
  return fd;
}

Result<std::vector<sys::Fd>> lock_beneath(const Stage& stage, sys::LockKind nearest) {
  std::vector<sys::Fd> locks;
  for (std::size_t at = 1; at < stage.layers.size(); ++at) {
    const Path directory = stage.layers[at].parent();
    PALE_TRY(lock, lock_stage({std::string(directory.name()), directory, 0, {}, {}},
                              at == 1 ? nearest : sys::LockKind::Shared));
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace pale::stage
