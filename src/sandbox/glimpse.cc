#include "sandbox/glimpse.h"

#include <fcntl.h>
#include <linux/in.h>
#include <linux/in6.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/hash.h"
#include "sandbox/resolve.h"
#include "sandbox/watch.h"

namespace pale::sandbox {
namespace {

constexpr std::size_t kMostPath = 4096;
constexpr int kNone = -1;

// Which arguments of a call say what. No directory: the working one. No path: the descriptor itself.
struct Words {
  int call;
  Act act;
  int directory;
  int path;
  int flags = kNone;
  std::uint64_t keeps_link = 0;  // a bit of the flags
};

constexpr Words kWords[] = {
    {SYS_openat, Act::Read, 0, 1, 2, O_NOFOLLOW},
#ifdef __x86_64__
    {SYS_open, Act::Read, kNone, 0, 1, O_NOFOLLOW},
    {SYS_chmod, Act::Chmod, kNone, 0},
#endif
    {SYS_execve, Act::Execute, kNone, 0},
    {SYS_execveat, Act::Execute, 0, 1, 4, AT_SYMLINK_NOFOLLOW},
    {SYS_fchmodat, Act::Chmod, 0, 1},
    {452 /* fchmodat2 */, Act::Chmod, 0, 1, 3, AT_SYMLINK_NOFOLLOW},
    {SYS_fchmod, Act::Chmod, 0, kNone},
    {SYS_truncate, Act::Write, kNone, 0},
};

std::uint64_t argument(const sys::Notification& call, int index) {
  return call.arguments[static_cast<std::size_t>(index)];
}

// What a call says, and who says it.
struct Said {
  const sys::Notification& call;
  int directory;
  std::string text;
  bool keeps_link;
};

// As this process has to say it: "/proc/self" is somebody else here.
std::string said_here(const Said& said) {
  const std::string& text = said.text;
  const std::string process = "/proc/" + std::to_string(said.call.thread);
  for (const std::string_view own : {"/proc/self", "/proc/thread-self"}) {
    if (text.starts_with(own) && (text.size() == own.size() || text[own.size()] == '/'))
      return process + text.substr(own.size());
  }
  if (text.starts_with("/dev/fd/")) return process + text.substr(std::string_view("/dev").size());
  if (text.starts_with('/')) return text;
  const std::string base =
      said.directory == sys::kWorkingDirectory ? process + "/cwd" : process + "/fd/" + std::to_string(said.directory);
  return text.empty() ? base : base + "/" + text;
}

// As it is written, from the root on; nothing where only the kernel knows what is meant.
std::optional<Path> written_path(const Said& said, Standpoints& standpoints) {
  std::string whole = said.text;
  if (!whole.starts_with('/')) {
    if (whole.empty() || said.directory != sys::kWorkingDirectory) return std::nullopt;
    const std::string* standpoint = standpoints.of(said.call.thread);
    if (standpoint == nullptr) return std::nullopt;
    whole = *standpoint + "/" + said.text;
  }
  auto path = Path::parse(whole);
  return path ? std::optional(std::move(*path)) : std::nullopt;
}

// Of a name in a directory that is known. Nothing if a link stands there.
std::optional<ResolvedName> plain_name(const Path& path) {
  const auto info = sys::file_info(sys::kAbsolute, path.c_str());
  if (!info || info->kind == sys::FileKind::Symlink) return std::nullopt;
  return ResolvedName{path, info->kind};
}

// Where it leads. What nobody may open is found by its name. Of what the witness does not care for, the kind is not looked at.
std::optional<ResolvedName> follow(const Said& said, const Witness& witness) {
  const long raw =
      sys::open_resolved(sys::kAbsolute, said_here(said).c_str(), O_PATH | (said.keeps_link ? O_NOFOLLOW : 0), 0);
  if (raw == -EACCES) {
    auto resolved = resolve_name(said.call.thread, said.directory, said.text, sys::Links::Follow);
    return resolved ? std::move(*resolved) : std::nullopt;
  }
  if (sys::failed(raw)) return std::nullopt;
  const sys::Fd fd(raw);
  const auto where = sys::path_of(fd);
  if (!where || !where->starts_with('/')) return std::nullopt;  // a pipe, a socket
  auto path = Path::parse(*where);
  if (!path) return std::nullopt;
  if (!witness.cares_for(*path)) return ResolvedName{std::move(*path), sys::FileKind::Other};
  const auto info = sys::file_info(fd);
  // A link that is opened as such is not opened at all.
  if (!info || info->kind == sys::FileKind::Symlink) return std::nullopt;
  return ResolvedName{std::move(*path), info->kind};
}

std::optional<std::string> foreign(const unsigned char* address) {
  if (address[0] == 127 || address[0] == 0) return std::nullopt;
  std::string text = std::to_string(address[0]);
  for (int i = 1; i < 4; ++i) text += "." + std::to_string(address[i]);
  return text;
}

std::optional<std::string> foreign6(const unsigned char* address) {
  constexpr int kLength = 16, kMapped = 12;  // where an address of the older kind stands
  const auto zeros =
      static_cast<int>(std::find_if(address, address + kLength, [](auto byte) { return byte != 0; }) - address);
  if (zeros >= kLength - 1) return std::nullopt;  // "::", "::1"
  if (zeros == kMapped - 2 && address[zeros] == 0xff && address[zeros + 1] == 0xff) return foreign(address + kMapped);
  std::string text;
  for (int i = 0; i < kLength; ++i) {
    if (i > 0 && i % 2 == 0) text += ":";
    text += "0123456789abcdef"[address[i] >> 4U];
    text += "0123456789abcdef"[address[i] & 15U];
  }
  return text;
}

}  // namespace

Found found_of(sys::FileKind kind) noexcept {
  switch (kind) {
    case sys::FileKind::Missing: return Found::Nothing;
    case sys::FileKind::Directory: return Found::Directory;
    default: return Found::File;
  }
}

// Usually a path is what it looks like: where its directory was found to lie as its path says, one look is enough.
std::optional<Glimpse> Glimpses::look(const sys::Notification& call, const Witness& witness) {
  if (call.number == SYS_execve || call.number == SYS_execveat) standpoints_.begins_anew(call.thread);
  const auto* words = std::ranges::find(kWords, call.number, &Words::call);
  if (words == std::end(kWords)) return std::nullopt;
  std::string text;
  if (words->path != kNone) {
    auto read = sys::read_text(call.thread, argument(call, words->path), kMostPath);
    if (!read || !witness.cares_for(*read)) return std::nullopt;
    text = std::move(*read);
  }
  const Said said{
      call, words->directory == kNone ? sys::kWorkingDirectory : static_cast<int>(argument(call, words->directory)),
      std::move(text), words->flags != kNone && (argument(call, words->flags) & words->keeps_link) != 0};
  const auto written = written_path(said, standpoints_);
  const std::uint64_t above = written ? Hash().add(written->parent().text()).value() : 0;
  std::optional<ResolvedName> name;
  if (written && plain_.has(above)) name = plain_name(*written);
  if (!name) {
    name = follow(said, witness);
    if (name && written && name->path == *written) (void)plain_.add(above);
  }
  if (!name || name->kind == sys::FileKind::Missing || !witness.cares_for(name->path)) return std::nullopt;
  return Glimpse{std::move(name->path), words->act, found_of(name->kind)};
}

std::optional<std::string> foreign_address(const sys::Notification& call) {
  constexpr std::uint16_t kInet = 2, kInet6 = 10;
  std::array<unsigned char, sizeof(sockaddr_in6)> bytes = {};
  const std::size_t size = std::min<std::size_t>(static_cast<std::uint32_t>(call.arguments[2]), bytes.size());
  std::uint16_t family = 0;
  if (size < sizeof(sockaddr_in) || !sys::read_bytes(call.thread, call.arguments[1], bytes.data(), size))
    return std::nullopt;
  std::memcpy(&family, bytes.data(), sizeof family);
  const std::string port = " port " + std::to_string(static_cast<unsigned>(bytes[2]) << 8U | bytes[3]);
  std::optional<std::string> text;
  if (family == kInet) text = foreign(bytes.data() + offsetof(sockaddr_in, sin_addr));
  if (family == kInet6 && size >= sizeof(sockaddr_in6))
    text = foreign6(bytes.data() + offsetof(sockaddr_in6, sin6_addr));
  return text ? std::optional(*text + port) : std::nullopt;
}

}  // namespace pale::sandbox
