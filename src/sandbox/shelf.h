// sandbox/shelf.h: directories under PALE_HOME that are made once and shown in many runs, found again by a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "sandbox/places.h"
#include "sys/fd.h"

namespace pale::sandbox {

// As long as `in_use` is open, nobody removes it.
struct Kept {
  std::string path;
  sys::Fd in_use;
};

// Whoever uses a kept directory, or is filling one, has it locked.
void remove_unless_in_use(const sys::Fd& parent, const std::string& name);

// One that is being filled; gone again unless it is put on the shelf.
class Fresh {
 public:
  Fresh(std::string temporary, std::string path, sys::Fd directory)
      : temporary_(std::move(temporary)), path_(std::move(path)), directory_(std::move(directory)) {}
  Fresh(Fresh&&) noexcept = default;
  Fresh& operator=(Fresh&&) = delete;
  ~Fresh();

  const sys::Fd& directory() const noexcept { return directory_; }
  Result<Kept> put_on_shelf();

 private:
  std::string temporary_;
  std::string path_;
  sys::Fd directory_;
};

class Shelf {
 public:
  Shelf(const Places& places, const char* name, std::size_t most)
      : directory_(places.home + "/" + name), workshop_(places.runs()), most_(most) {}

  Result<std::optional<Kept>> find(std::uint64_t key) const;
  // Makes room first: with `most` of them there, those that no run uses go.
  Result<Fresh> begin(std::uint64_t key) const;

 private:
  std::string path_of(std::uint64_t key) const { return directory_ + "/" + std::to_string(key); }
  void make_room() const;

  std::string directory_;
  std::string workshop_;
  std::size_t most_;
};

}  // namespace pale::sandbox
