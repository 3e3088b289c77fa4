// tools/blocked.h: what is tried outside the folders of a strict run, as the watch tells it to the tools while it happens: an answer
// can say of a command what it was refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boundary/boundary.h"
#include "sys/fd.h"

namespace pale::tools {

struct Tried {
  std::string operation;
  std::string path;
  bool operator==(const Tried&) const = default;
};

// For a pipe: whole or not at all. Empty: it is too long for that.
std::string to_message(const Tried& tried);

// The block that a person reads on stderr, without the newline at its end; empty: there are no folders, or it lies in one.
std::string block_for(const Boundary& boundary, const Tried& tried);

class Blocked {
 public:
  // `line`: where messages come from; closed: nobody tells anything.
  Blocked(const Boundary& boundary, sys::Fd line) : boundary_(boundary), line_(std::move(line)) {}

  // How many came so far.
  std::uint64_t count();
  struct Since {
    std::vector<Tried> first;  // different ones
    std::uint64_t more = 0;
  };
  Since since(std::uint64_t count);
  const Boundary& boundary() const noexcept { return boundary_; }

 private:
  void take();

  const Boundary& boundary_;
  sys::Fd line_;
  std::string begun_;  // of a message
  std::vector<Tried> kept_;
  std::uint64_t dropped_ = 0;  // from the beginning of what was kept
};

}  // namespace pale::tools
