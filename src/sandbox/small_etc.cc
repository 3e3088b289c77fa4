#include "sandbox/small_etc.h"

#include <fcntl.h>

#include <cerrno>
#include <string_view>

#include "sys/file.h"
#include "sys/process.h"

namespace pale::sandbox {
namespace {

// Copied as they are if they exist. Host names, accounts, keys, mounts and services are not among them.
constexpr const char* kCopied[] = {"alternatives",
                                   "bash.bashrc",
                                   "ca-certificates.conf",
                                   "debian_version",
                                   "fonts",
                                   "gai.conf",
                                   "host.conf",
                                   "inputrc",
                                   "java-11-openjdk",
                                   "java-17-openjdk",
                                   "java-21-openjdk",
                                   "ld.so.cache",
                                   "ld.so.conf",
                                   "ld.so.conf.d",
                                   "locale.alias",
                                   "localtime",
                                   "lsb-release",
                                   "magic",
                                   "mime.types",
                                   "nsswitch.conf",
                                   "os-release",
                                   "perl",
                                   "pki/ca-trust",
                                   "pki/tls/certs",
                                   "profile",
                                   "protocols",
                                   "python3",
                                   "python3.11",
                                   "resolv.conf",
                                   "services",
                                   "shells",
                                   "ssl/certs",
                                   "ssl/openssl.cnf",
                                   "terminfo",
                                   "timezone",
                                   "vim",
                                   "xdg/user-dirs.conf"};

constexpr std::string_view kHosts = "127.0.0.1 localhost pale\n::1 localhost ip6-localhost ip6-loopback\n";

std::string account_line(std::string_view name, unsigned user, unsigned group, std::string_view home,
                         std::string_view shell) {
  std::string line(name);
  line += ":x:" + std::to_string(user) + ":" + std::to_string(group) + "::";
  return line.append(home) + ":" + std::string(shell) + "\n";
}

std::string passwd_text(const Account& account) {
  std::string text;
  if (account.user != 0) text += account_line("root", 0, 0, "/", "/usr/sbin/nologin");
  text += account_line(account.user == 0 ? "root" : "agent", account.user, account.group, account.home, "/bin/bash");
  return text + account_line("nobody", 65534, 65534, "/", "/usr/sbin/nologin");
}

std::string group_text(const Account& account) {
  std::string text = account.group == 0 ? "" : "root:x:0:\n";
  text += (account.group == 0 ? "root:x:" : "agent:x:") + std::to_string(account.group) + ":\n";
  return text + "nogroup:x:65534:\n";
}

// A change of any other file there replaces it, which shows in the time of the directory.
constexpr const char* kTelltales[] = {".", "alternatives", "ld.so.cache", "ld.so.conf.d", "resolv.conf", "ssl/certs"};

// What the directory is made from, as a number: the host's files by inode, size and time, and the account.
std::uint64_t fingerprint(const sys::Fd& etc, const Account& account) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3U; };
  add(account.user);
  add(account.group);
  for (const char c : account.home) add(static_cast<unsigned char>(c));
  for (const char* name : kTelltales) {
    const auto info = sys::file_info(etc.borrow(), name, sys::Links::Follow);
    if (!info || info->kind == sys::FileKind::Missing) continue;
    add(info->inode);
    add(info->size);
    add(static_cast<std::uint64_t>(info->modified_ns));
  }
  return hash;
}

Status write_new(int directory, const char* name, std::string_view text) {
  PALE_TRY(fd, sys::open_at(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644));
  return sys::write_all(fd.borrow(), text);
}

Status copy_one(const sys::Fd& from, const sys::Fd& to, const char* path) {
  const std::string_view name = path;
  const auto info = sys::file_info(from.borrow(), path);
  if (!info || info->kind == sys::FileKind::Missing) return {};
  for (std::size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
    PALE_CHECK(sys::make_directory(to.borrow(), std::string(name.substr(0, slash)).c_str(), 0755));
  }
  // resolv.conf is often a link into /run, which does not exist inside.
  if (name == "resolv.conf" && info->kind == sys::FileKind::Symlink) {
    const auto text = sys::read_file(from.borrow(), path, 1UL << 16U);
    return text ? write_new(to.borrow(), path, *text) : Status{};
  }
  auto copied = sys::copy_tree(from.borrow(), path, to.borrow(), path);
  // What this user may not read, it may not read inside either.
  if (!copied && copied.error().number == EACCES) return {};
  return copied;
}

Status fill(const sys::Fd& etc, const sys::Fd& directory, const Account& account) {
  for (const char* name : kCopied) PALE_CHECK(copy_one(etc, directory, name));
  PALE_CHECK(write_new(directory.borrow(), "passwd", passwd_text(account)));
  PALE_CHECK(write_new(directory.borrow(), "group", group_text(account)));
  PALE_CHECK(write_new(directory.borrow(), "hostname", "pale\n"));
  return write_new(directory.borrow(), "hosts", kHosts);
}

// Copies of an earlier state of the host that no run uses any more.
void remove_unused_copies(const std::string& copies) {
  const auto directory = sys::open_at(sys::kHere, copies.c_str(), O_RDONLY | O_DIRECTORY);
  if (!directory) return;
  const auto entries = sys::list_directory(*directory);
  if (!entries) return;
  for (const sys::Entry& entry : *entries) {
    const auto copy = sys::open_at(directory->borrow(), entry.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!copy) continue;
    const auto lock = sys::try_lock(*copy, sys::LockKind::Exclusive);
    if (lock && *lock == sys::Lock::Taken) (void)sys::remove_tree(directory->borrow(), entry.name.c_str());
  }
}

// Made aside and locked, so that nobody takes it for unused; then it gets its name.
Status make_copy(const sys::Fd& etc, const std::string& path, const Account& account) {
  const std::string copies = path.substr(0, path.rfind('/'));
  PALE_CHECK(sys::make_directories(copies, 0755));
  remove_unused_copies(copies);
  const std::string temporary = path + ".new-" + std::to_string(sys::process_id());
  PALE_CHECK(sys::make_directory(sys::kHere, temporary.c_str(), 0755));
  PALE_TRY(made, sys::open_at(sys::kHere, temporary.c_str(), O_RDONLY | O_DIRECTORY));
  PALE_TRY(lock, sys::try_lock(made, sys::LockKind::Shared));
  Status done = lock == sys::Lock::Taken
                    ? fill(etc, made, account)
                    : Status(fail(ErrorKind::System, "another command is removing", temporary, "try again"));
  if (done) {
    // Another start may have been quicker; its copy is as good.
    const auto renamed = sys::rename_to(sys::kHere, temporary.c_str(), sys::kHere, path.c_str());
    if (renamed) return {};
    if (renamed.error().number != EEXIST && renamed.error().number != ENOTEMPTY) done = renamed;
  }
  (void)sys::remove_tree(sys::kHere, temporary.c_str());
  return done;
}

}  // namespace

std::span<const char* const> small_etc_names() { return kCopied; }

Result<SmallEtc> prepare_small_etc(const std::string& pale_home, const Account& account) {
  PALE_TRY(etc, sys::open_at(sys::kHere, "/etc", O_PATH | O_DIRECTORY));
  const std::string copies = pale_home + "/etc";
  const std::string path = copies + "/" + std::to_string(fingerprint(etc, account));
  auto in_use = sys::open_at(sys::kHere, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!in_use) {
    PALE_CHECK(make_copy(etc, path, account));
    in_use = sys::open_at(sys::kHere, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!in_use) return std::unexpected(in_use.error());
  }
  PALE_TRY(lock, sys::try_lock(*in_use, sys::LockKind::Shared));
  if (lock == sys::Lock::Held) return fail(ErrorKind::System, "another command is removing", path, "try again");
  return SmallEtc{path, std::move(*in_use)};
}

}  // namespace pale::sandbox
