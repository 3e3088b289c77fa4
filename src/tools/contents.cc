#include "tools/contents.h"

#include <fcntl.h>

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "tools/read.h"

namespace pale::tools {
namespace {

constexpr std::string_view kEnd("\0", 1);         // No name and no target has it.
constexpr std::size_t kMostShown = 128UL << 10U;  // bytes; the desk has room for little more
constexpr std::size_t kDeepest = 64;

class Inventory {
 public:
  explicit Inventory(const std::string& path) : path_(path) {}

  Result<Contents> take(int root) {
    PALE_CHECK(look_at(root, path_, "", 0));
    return Contents{std::move(list_), hash_.hex()};
  }

 private:
  // `below`: its path in what is looked at; empty for that itself.
  Status look_at(int above, const std::string& name, const std::string& below, std::size_t depth) {
    PALE_TRY(info, sys::file_info(above, name.c_str()));
    std::string state(to_text(info.kind));
    std::string more;
    switch (info.kind) {
      case sys::FileKind::File:
        state += " " + state_of_file(above, name, info);
        more = ", " + std::to_string(info.size) + " bytes";
        break;
      case sys::FileKind::Symlink: {
        PALE_TRY(target, sys::read_link(above, name.c_str()));
        state += " " + target;
        more = " -> " + printable(target);
        break;
      }
      case sys::FileKind::Directory: more = "/"; break;
      default: more = ", a pipe, a socket or a device";
    }
    hash_.add(below).add(kEnd).add(std::to_string(info.mode) + " " + state).add(kEnd);
    if (!below.empty()) list_ += "  " + printable(below) + more + "\n";
    if (list_.size() > kMostShown) return too_much("there is too much in it for anybody to be shown, and so to allow");
    return info.kind == sys::FileKind::Directory ? look_into(above, name, below, depth) : Status{};
  }

  Status look_into(int above, const std::string& name, const std::string& below, std::size_t depth) {
    if (depth > kDeepest) return too_much("its directories are too deep for anybody to be shown, and so to allow");
    const auto directory = sys::open_at(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    auto entries = directory ? sys::list_directory(*directory) : fail(directory.error());
    if (!entries) {
      return fail(ErrorKind::Refused, path_ + ":",
                  "what is in " + printable(below.empty() ? path_ : below) +
                      " cannot be listed, so nobody can be shown it, and allow it",
                  "give its owner leave to read it first");
    }
    std::ranges::sort(*entries, {}, &sys::Entry::name);
    for (const sys::Entry& entry : *entries) {
      const std::string inner = below.empty() ? entry.name : below + "/" + entry.name;
      PALE_CHECK(look_at(directory->borrow(), entry.name, inner, depth + 1));
    }
    return {};
  }

  static std::string state_of_file(int above, const std::string& name, const sys::FileInfo& info) {
    auto fd = sys::open_at(above, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd) return hash_of({std::move(*fd), info});
    return std::to_string(info.size) + " " + std::to_string(info.inode) + " " + std::to_string(info.changed_ns);
  }

  Status too_much(std::string why) const {
    return fail(ErrorKind::Refused, path_ + ":", std::move(why), "do it in smaller parts, each by its own path");
  }

  const std::string& path_;
  std::string list_;
  Sha256 hash_;
};

}  // namespace

Result<Contents> contents_of(int root, const std::string& path) { return Inventory(path).take(root); }

}  // namespace pale::tools
