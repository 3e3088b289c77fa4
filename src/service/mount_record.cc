#include "service/mount_record.h"

#include <cerrno>

#include "base/json_value.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr const char* kRecord = ".pale-mounts.json";
constexpr std::size_t kLargest = 1UL << 20U;
constexpr std::size_t kDeepest = 8;

std::unexpected<Error> broken() {
  return fail(ErrorKind::Refused, "it cannot be read what was mounted here:", kRecord,
              "look at the directory, and remove by hand what is not needed");
}

Result<MountedFolder> read_folder(const JsonValue& json) {
  const auto text = [&](const char* key) -> std::optional<std::string> {
    const JsonValue* value = json.find(key);
    return value == nullptr ? std::nullopt : value->bytes();
  };
  const auto number = [&](const char* key) -> std::optional<std::uint64_t> {
    const JsonValue* value = json.find(key);
    return value == nullptr ? std::nullopt : value->whole_number();
  };
  const auto name = text("name");
  const auto source = text("source");
  const auto device = number("device");
  const auto inode = number("inode");
  const auto born_ns = number("born");
  const auto state = number("state");
  if (!name || !source || !device || !inode || !born_ns || !state) return broken();
  // The file lies where a worker may write.
  const auto below = Path::parse(*name);
  const auto path = Path::parse(*source);
  if (!below || below->is_absolute() || !path || !path->is_absolute()) return broken();
  return MountedFolder{below->text(), *path, *device, *inode, *born_ns, *state};
}

}  // namespace

Result<std::vector<MountedFolder>> read_mount_record(const sys::Fd& directory) {
  std::vector<MountedFolder> folders;
  auto fd = sys::open_at(directory.borrow(), kRecord, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd && fd.error().number == ENOENT) return folders;
  if (!fd) return broken();
  PALE_TRY(text, sys::read_all(*fd, kLargest));
  const auto json = JsonValue::parse(text, kDeepest);
  const JsonValue* list = json ? json->find("folders") : nullptr;
  if (list == nullptr || !list->is_array()) return broken();
  for (const JsonValue& item : list->items()) {
    PALE_TRY(folder, read_folder(item));
    folders.push_back(std::move(folder));
  }
  return folders;
}

Status write_mount_record(const Path& directory, const std::vector<MountedFolder>& folders) {
  const Path record = directory / kRecord;
  if (folders.empty()) {
    auto removed = sys::remove_file(sys::kAbsolute, record.c_str());
    return removed || removed.error().number == ENOENT ? Status() : removed;
  }
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).key("folders").begin_array();
  for (const MountedFolder& folder : folders) {
    out.begin_object().field("name", folder.name).field("source", folder.source.text());
    out.field("device", folder.device).field("inode", folder.inode);
    out.field("born", folder.born_ns).field("state", folder.state).end_object();
  }
  out.end_array().end_object();
  return sys::replace_file(record.text(), indented(out.text()) + "\n", 0600, sys::Durability::OfProcess);
}

}  // namespace pale::service
