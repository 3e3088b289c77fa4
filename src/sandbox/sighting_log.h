// sandbox/sighting_log.h: what a watch saw, in memory that the first process inside writes and the supervisor outside reads. It has
// an end, so that no flood costs more than this; nobody ever waits for the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "sandbox/sighting.h"

namespace pale::sandbox {

class SightingLog {
 public:
  // Its pages cost nothing before something stands in them.
  static Result<SightingLog> make();
  SightingLog(SightingLog&& other) noexcept;
  SightingLog& operator=(SightingLog&&) = delete;
  ~SightingLog();

  // Inside. False: there is no room, and from now on nothing more is kept.
  // `told`: whoever is to hear of it has heard.
  bool add(const Sighting& sighting, bool told) noexcept;
  // Outside: the next that was not read yet.
  struct Entry {
    Sighting sighting;
    bool told;
  };
  std::optional<Entry> next();
  // There was more than is kept.
  bool is_full() const noexcept { return page_->full.load(std::memory_order_acquire); }

 private:
  // Zeroed by the kernel, which is its initial state.
  struct Page {
    std::atomic<std::uint32_t> used;  // bytes
    std::atomic<bool> full;
  };
  explicit SightingLog(Page* page) noexcept : page_(page) {}
  char* bytes() const noexcept { return reinterpret_cast<char*>(page_ + 1); }

  Page* page_;
  std::uint32_t read_ = 0;
};

}  // namespace pale::sandbox
