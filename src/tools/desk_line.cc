#include "tools/desk_line.h"

#include <array>

#include "sys/file.h"

namespace pale::tools {
namespace {

constexpr std::size_t kPiece = 65536;

}  // namespace

void DeskLine::say(const ToDesk& said) {
  unsent_ += to_line(said);
  send();
}

void DeskLine::send() {
  while (is_open() && !unsent_.empty()) {
    const auto sent = sys::try_write(socket_, unsent_);
    if (!sent) return socket_.reset();
    if (!*sent) return;
    unsent_.erase(0, **sent);
  }
}

std::vector<FromDesk> DeskLine::hear() {
  std::vector<FromDesk> heard;
  std::vector<char> buffer(kPiece);
  send();
  while (is_open()) {
    const auto got = sys::try_read(socket_, buffer);
    if (got && !*got) break;
    const std::size_t size = got ? got->value_or(0) : 0;
    if (size == 0) {
      socket_.reset();
      break;
    }
    lines_.feed(
        {buffer.data(), size},
        [&](std::string_view line) {
          if (auto said = parse_from_desk(line)) heard.push_back(std::move(*said));
        },
        [&] { socket_.reset(); });
  }
  return heard;
}

void DeskLine::add_waits(std::vector<sys::Ready>& waits) const {
  if (!is_open()) return;
  waits.push_back({socket_.borrow()});
  if (!unsent_.empty()) waits.push_back({.descriptor = socket_.borrow(), .wish = sys::Wish::Write});
}

}  // namespace pale::tools
