#include "sandbox/small_etc.h"

#include <fcntl.h>

#include <cerrno>
#include <string_view>

#include "base/hash.h"
#include "sys/file.h"
#include "sys/tree.h"

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

constexpr std::size_t kMostCopies = 3;  // of earlier states of the host, and for another account

constexpr std::string_view kOwnNames = "nameserver 127.0.0.1\noptions timeout:5 attempts:2\n";
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
  Hash hash;
  hash.add(account.user).add(account.group).add(account.home).add(account.own_names ? 1U : 0U);
  for (const char* name : kTelltales) {
    const auto info = sys::file_info(etc.borrow(), name, sys::Links::Follow);
    if (!info || info->kind == sys::FileKind::Missing) continue;
    hash.add(info->inode).add(info->size).add(static_cast<std::uint64_t>(info->modified_ns));
  }
  return hash.value();
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
  for (const char* name : kCopied) {
    const bool replaced = account.own_names && std::string_view(name) == "resolv.conf";
    if (!replaced) PALE_CHECK(copy_one(etc, directory, name));
  }
  if (account.own_names) PALE_CHECK(write_new(directory.borrow(), "resolv.conf", kOwnNames));
  PALE_CHECK(write_new(directory.borrow(), "passwd", passwd_text(account)));
  PALE_CHECK(write_new(directory.borrow(), "group", group_text(account)));
  PALE_CHECK(write_new(directory.borrow(), "hostname", "pale\n"));
  return write_new(directory.borrow(), "hosts", kHosts);
}

}  // namespace

std::span<const char* const> small_etc_names() { return kCopied; }

Result<Kept> prepare_small_etc(const Places& places, const Account& account) {
  PALE_TRY(etc, sys::open_at(sys::kAbsolute, "/etc", O_PATH | O_DIRECTORY));
  const Shelf shelf(places, "etc", kMostCopies);
  const std::uint64_t key = fingerprint(etc, account);
  PALE_TRY(known, shelf.find(key));
  if (known) return std::move(*known);
  PALE_TRY(fresh, shelf.begin(key));
  PALE_CHECK(fill(etc, fresh.directory(), account));
  return fresh.put_on_shelf();
}

}  // namespace pale::sandbox
