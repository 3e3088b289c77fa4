#include "sandbox/sighting_log.h"

#include <cstring>
#include <utility>

#include "sys/process.h"

namespace pale::sandbox {
namespace {

constexpr std::size_t kSize = 8UL << 20U;  // about a hundred thousand paths

struct Head {
  std::uint8_t kind;
  std::uint8_t act;
  std::uint8_t told;
  std::uint8_t unused;
  std::uint16_t length;  // of the path, which follows
};

}  // namespace

Result<SightingLog> SightingLog::make() {
  void* memory = sys::share_memory(kSize);
  if (memory == nullptr) return fail(ErrorKind::System, "no memory for what is watched", "");
  return SightingLog(static_cast<Page*>(memory));
}

SightingLog::SightingLog(SightingLog&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)), read_(other.read_) {}

SightingLog::~SightingLog() {
  if (page_ != nullptr) sys::let_go_of_memory(page_, kSize);
}

bool SightingLog::add(const Sighting& sighting, bool told) noexcept {
  const std::uint32_t used = page_->used.load(std::memory_order_relaxed);
  const std::size_t size = sizeof(Head) + sighting.path.size();
  if (sighting.path.size() > UINT16_MAX || is_full() || used + size > kSize - sizeof(Page)) {
    page_->full.store(true, std::memory_order_release);
    return false;
  }
  const Head head{static_cast<std::uint8_t>(sighting.kind), static_cast<std::uint8_t>(sighting.act),
                  static_cast<std::uint8_t>(told), 0, static_cast<std::uint16_t>(sighting.path.size())};
  std::memcpy(bytes() + used, &head, sizeof head);
  std::memcpy(bytes() + used + sizeof head, sighting.path.data(), sighting.path.size());
  page_->used.store(static_cast<std::uint32_t>(used + size), std::memory_order_release);
  return true;
}

std::optional<SightingLog::Entry> SightingLog::next() {
  if (read_ == page_->used.load(std::memory_order_acquire)) return std::nullopt;
  Head head = {};
  std::memcpy(&head, bytes() + read_, sizeof head);
  Sighting sighting{static_cast<Sighting::Kind>(head.kind), static_cast<Act>(head.act),
                    std::string(bytes() + read_ + sizeof head, head.length)};
  read_ += static_cast<std::uint32_t>(sizeof head + head.length);
  return Entry{std::move(sighting), head.told != 0};
}

}  // namespace pale::sandbox
