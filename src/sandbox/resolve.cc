#include "sandbox/resolve.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <cerrno>
#include <string_view>
#include <vector>

namespace pale::sandbox {
namespace {

using sys::Fd;
using sys::FileKind;

constexpr int kMostLinks = 40;  // as the kernel
constexpr int kDirectory = O_PATH | O_DIRECTORY;
constexpr std::size_t kMostStatus = 1UL << 16U;

// Errors that the kernel would give the other process too. Others, such as EMFILE, concern only this one.
bool is_answer(int number) {
  return number == ENOENT || number == ENOTDIR || number == EACCES || number == ELOOP || number == ENAMETOOLONG;
}

// A closed Fd: there is no such thing.
Result<Fd> open_plain(int directory, const char* path, int flags) {
  auto fd = sys::open_at(directory, path, flags);
  if (!fd && is_answer(fd.error().number)) return Fd();
  return fd;
}

Result<Fd> base_of(sys::Pid thread, int directory, bool absolute) {
  if (absolute) return open_plain(sys::kAbsolute, "/", kDirectory);
  const std::string process = "/proc/" + std::to_string(thread);
  const std::string link =
      directory == sys::kWorkingDirectory ? process + "/cwd" : process + "/fd/" + std::to_string(directory);
  auto fd = sys::open_at(sys::kAbsolute, link.c_str(), kDirectory);
  if (!fd && (fd.error().number == ENOENT || fd.error().number == ENOTDIR)) return Fd();
  return fd;
}

// What "/proc/self" means to a thread: its process, whose directory and descriptors need not be the thread's own.
Result<std::string> process_of(sys::Pid thread) {
  const std::string path = "/proc/" + std::to_string(thread) + "/status";
  PALE_TRY(text, sys::read_file(sys::kAbsolute, path.c_str(), kMostStatus));
  constexpr std::string_view kField = "\nTgid:\t";
  const std::size_t at = text.find(kField);
  if (at == std::string::npos) return fail_errno(ESRCH, "find the process of thread", std::to_string(thread));
  const std::size_t begin = at + kField.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::vector<std::string> split_reversed(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t slash = text.rfind('/', end - 1);
    const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    if (end > begin) names.emplace_back(text.substr(begin, end - begin));
    end = slash == std::string_view::npos ? 0 : slash;
  }
  return names;
}

// "/proc/self" means whoever asks: the kernel's answer to this process would be about this process. So walk by hand, with
// the other one's number in its place, and follow the magic links beneath it as the kernel would.
Result<Fd> walk_for(sys::Pid thread, Fd at, std::string_view text) {
  std::vector<std::string> todo = split_reversed(text);  // the next name is the last
  for (int links = 0; !todo.empty() && at.is_open();) {
    std::string name = std::move(todo.back());
    todo.pop_back();
    const bool proc = sys::on_proc(at);
    if (proc && name == "thread-self") name = std::to_string(thread);
    if (proc && name == "self") {
      PALE_TRY(process, process_of(thread));
      name = process;
    }
    const auto target = sys::read_link(at.borrow(), name.c_str());
    if (!target || proc) {
      PALE_TRY(next, open_plain(at.borrow(), name.c_str(), target ? O_PATH : O_PATH | O_NOFOLLOW));
      at = std::move(next);
      continue;
    }
    if (++links > kMostLinks) return Fd();
    if (target->starts_with('/')) {
      PALE_TRY(root, open_plain(sys::kAbsolute, "/", kDirectory));
      at = std::move(root);
    }
    for (std::string& part : split_reversed(*target)) todo.push_back(std::move(part));
  }
  return at;
}

// What this process does not find may still be there for the other one: "/proc/self/fd/9" is about its own descriptors.
Result<Fd> open_directory_for(sys::Pid thread, Fd base, const std::string& text) {
  if (text.empty() || !base.is_open()) return base;
  const long fd = sys::open_resolved(base.borrow(), text.c_str(), kDirectory, RESOLVE_NO_MAGICLINKS);
  if (!sys::failed(fd)) return Fd(fd);
  if (!is_answer(static_cast<int>(-fd))) return fail_errno(static_cast<int>(-fd), "open", text);
  return walk_for(thread, std::move(base), text);
}

}  // namespace

Result<Fd> open_for(sys::Pid thread, int directory, std::string_view text) {
  PALE_TRY(base, base_of(thread, directory, text.starts_with('/')));
  return walk_for(thread, std::move(base), text);
}

Result<std::optional<ResolvedName>> resolve_name(sys::Pid thread, int directory, std::string text, sys::Links links) {
  PALE_TRY(base, base_of(thread, directory, text.starts_with('/')));
  for (int hops = 0; hops < kMostLinks; ++hops) {
    while (text.size() > 1 && text.ends_with('/')) text.pop_back();
    const std::size_t slash = text.rfind('/');
    const std::string above = slash == std::string::npos ? "" : text.substr(0, slash + 1);
    const std::string name = slash == std::string::npos ? text : text.substr(slash + 1);
    if (name.empty() || name == "." || name == "..") return std::nullopt;  // an existing directory
    PALE_TRY(parent, open_directory_for(thread, std::move(base), above));
    if (!parent.is_open()) return std::nullopt;
    const auto info = sys::file_info(parent.borrow(), name.c_str());
    if (!info && is_answer(info.error().number)) return std::nullopt;
    if (!info) return std::unexpected(info.error());
    if (info->kind == FileKind::Symlink && links == sys::Links::Follow) {
      if (sys::on_proc(parent)) return std::nullopt;  // a magic link: an object that exists
      auto target = sys::read_link(parent.borrow(), name.c_str());
      if (!target) return std::nullopt;
      text = std::move(*target);
      base = std::move(parent);
      if (text.starts_with('/')) {
        PALE_TRY(root, open_plain(sys::kAbsolute, "/", kDirectory));
        base = std::move(root);
      }
      continue;
    }
    const auto where = sys::path_of(parent);
    if (!where) return std::nullopt;  // longer than any path that a boundary can name
    auto path = Path::parse(*where + "/" + name);
    if (!path) return std::nullopt;
    return ResolvedName{std::move(*path), info->kind};
  }
  return std::nullopt;
}

}  // namespace pale::sandbox
