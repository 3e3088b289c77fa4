// tools/output.h: what a command writes: its beginning and its end for the answer, and all of it in a file if that is more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sys/fd.h"

namespace pale::tools {

class Output {
 public:
  // `directory`: where the file is made, if there must be one.
  Output(std::string directory, std::size_t most) : directory_(std::move(directory)), most_(most) {}

  void add(std::string_view bytes);

  std::uint64_t size() const noexcept { return size_; }
  bool is_cut() const noexcept { return size_ > most_; }
  // Where the rest can be read, as far as it was kept; empty if nothing was cut, or the disk is full.
  const std::string& file() const noexcept { return file_; }
  // As much as fits; where something is left out, a line says so.
  std::string shown() const;
  // The last of what came since the last time this was asked.
  std::string news();

 private:
  void keep(std::string_view bytes);
  void put_aside(std::string_view bytes);

  std::string directory_;
  std::size_t most_;
  std::string first_;
  std::string last_;  // behind `first_`; a little more than is shown
  std::string news_;
  std::uint64_t size_ = 0;
  std::uint64_t aside_ = 0;
  std::string file_;
  sys::Fd opened_;
};

}  // namespace pale::tools
