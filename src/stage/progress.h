// stage/progress.h: how far a long piece of work is, for whoever shows it.
#pragma once

#include <cstddef>
#include <string_view>

namespace pale::stage {

class Progress {
 public:
  // `all`: 0 if nobody knows yet.
  virtual void tell(std::string_view what, std::size_t done, std::size_t all) = 0;

 protected:
  ~Progress() = default;
};

}  // namespace pale::stage
