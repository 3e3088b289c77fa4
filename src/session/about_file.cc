#include "session/about_file.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/file.h"

namespace pale::session {
namespace {

constexpr std::size_t kMostAbout = 1UL << 16U;

Result<std::optional<AboutFile>> read_from(int folder, const std::string& path, const Place& place) {
  auto file = sys::open_at(folder, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file && file.error().number == ENOENT) return std::nullopt;
  if (!file) return std::unexpected(std::move(file).error());
  std::string line(kMostAbout, '\0');
  line.resize(sys::read_at(*file, 0, line));
  if (place.is_one_file()) {
    const std::size_t end = line.find('\n');
    if (end == std::string::npos && line.size() < kMostAbout) return std::nullopt;
    line.resize(std::min(end, line.size() - 1) + 1);
  }
  auto about = parse_about(line);
  if (!about) return fail(ErrorKind::System, "not readable: " + place.about().text() + ":", about.error().subject);
  const std::uint64_t first_event = place.is_one_file() ? line.size() : 0;
  return AboutFile{std::move(*about), std::move(line), first_event};
}

}  // namespace

Result<std::optional<AboutFile>> read_about(const Place& place) {
  return read_from(sys::kAbsolute, place.about().text(), place);
}

Result<std::optional<AboutFile>> read_about(const sys::Fd& folder, const Place& place) {
  return read_from(folder.borrow(), std::string(place.about().name()), place);
}

}  // namespace pale::session
