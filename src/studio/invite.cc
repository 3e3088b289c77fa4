#include "studio/invite.h"

#include <fcntl.h>

#include <array>

#include "service/approvals.h"
#include "studio/door.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::studio {
namespace {

constexpr std::size_t kMostAddress = 256;

Path place_of(const Path& pale_home) { return pale_home / "studio"; }

Result<sys::Fd> open_address(const Path& pale_home, int flags) {
  return sys::open_at(sys::kAbsolute, (place_of(pale_home) / "address").c_str(), flags | O_NOFOLLOW, 0600);
}

// As a shell would find it.
std::string find_program(const std::string& name, const service::Caller& caller) {
  std::string_view search = caller.find("PATH") != nullptr ? caller.find("PATH") : "/usr/local/bin:/usr/bin:/bin";
  while (!search.empty()) {
    const std::string_view directory = search.substr(0, search.find(':'));
    search.remove_prefix(std::min(directory.size() + 1, search.size()));
    const std::string path = std::string(directory) + "/" + name;
    if (path.starts_with('/') && sys::may_execute(path.c_str())) return path;
  }
  return {};
}

}  // namespace

Result<sys::Fd> announce(const Path& pale_home, const std::string& address) {
  PALE_CHECK(sys::make_directories(place_of(pale_home).text(), 0700));
  PALE_TRY(file, open_address(pale_home, O_RDWR | O_CREAT));
  PALE_TRY(lock, sys::try_lock(file, sys::LockKind::Exclusive));
  if (lock == sys::Lock::Held) return file;  // Another one was first: that one is found.
  PALE_CHECK(
      sys::write_at(file, 0, address + "\n" + std::string(kMostAddress - address.size() % kMostAddress - 1, ' ')));
  return file;
}

std::optional<std::string> announced(const Path& pale_home) {
  const auto file = open_address(pale_home, O_RDWR);
  if (!file) return std::nullopt;
  const auto lock = sys::try_lock(*file, sys::LockKind::Exclusive);
  if (!lock || *lock != sys::Lock::Held) return std::nullopt;
  std::array<char, kMostAddress> text = {};
  const std::size_t size = sys::read_at(*file, 0, text);
  const std::string_view read(text.data(), size);
  return std::string(read.substr(0, read.find('\n')));
}

Result<std::string> make_link(const Path& pale_home, const std::string& address) {
  PALE_TRY(key, make_key(pale_home, service::now_ms()));
  return address + "/enter?key=" + key;
}

bool open_browser(const Path& pale_home, const std::string& link, const service::Caller& caller) {
  const bool display = caller.has_variable("DISPLAY") || caller.has_variable("WAYLAND_DISPLAY");
  std::string program = display ? find_program("xdg-open", caller) : std::string();
  if (program.empty()) return false;
  std::string page = (place_of(pale_home) / "open.html").text();
  const std::string text =
      "<!doctype html><meta charset=\"utf-8\"><title>Pale Studio</title>"
      "<meta http-equiv=\"refresh\" content=\"0; url=" +
      link + "\"><a href=\"" + link + "\">Studio</a>\n";
  if (!sys::replace_file(page, text, 0600, sys::Durability::OfProcess)) return false;
  // It is a script mostly, which cannot be started by a descriptor that is closed on the way; and nobody waits for it.
  const auto shell = sys::open_at(sys::kAbsolute, "/bin/sh", O_RDONLY);
  const auto null = sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR);
  if (!shell || !null) return false;
  std::string name = "sh";
  std::string option = "-c";
  std::string line = R"("$0" "$1" &)";
  char* argv[] = {name.data(), option.data(), line.data(), program.data(), page.data(), nullptr};
  const sys::ProgramStart start{*shell, argv, caller.envp, null->borrow(), null->borrow(), null->borrow()};
  const auto started = sys::start_program(start);
  return started && sys::wait_for(*started);
}

}  // namespace pale::studio
