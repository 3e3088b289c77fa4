// base/path.h: a path as a list of components. A value; touches no disk.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale {

// Absolute ("/a/b") or relative ("a/b"), without empty, "." or ".." components: comparing two paths is comparing names,
// never bytes of names. Any byte but NUL and '/' may stand in a name.
class Path {
 public:
  // Removes empty and "." components. Refuses the empty text, NUL, and "..": what ".." means only the kernel knows.
  static Result<Path> parse(std::string_view text);
  static Path root() { return Path("/"); }

  // For texts that are known to be good, such as literals; a bad one ends the program.
  static Path literal(std::string_view text);

  bool is_absolute() const noexcept { return text_.front() == '/'; }
  bool is_root() const noexcept { return text_ == "/"; }
  const std::string& text() const noexcept { return text_; }
  const char* c_str() const noexcept { return text_.c_str(); }

  std::vector<std::string_view> components() const;
  std::size_t depth() const noexcept;      // the number of components
  std::string_view name() const noexcept;  // the last component; empty for the root
  Path parent() const;  // the root's parent is the root; of a single relative name it is "."-less: itself

  // Whole components: "/src/app" covers itself and "/src/app/x", not "/src/apple".
  bool covers(const Path& other) const noexcept;
  // `relative` appended to this one.
  Path operator/(std::string_view relative) const;
  // What is left of `other` below this one; empty if they are equal or this does not cover it.
  std::string_view below(const Path& other) const noexcept;

  auto operator<=>(const Path&) const = default;

 private:
  explicit Path(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// Whether a single name matches a shell pattern of '*' and '?'. No '/' in either.
bool name_matches(std::string_view pattern, std::string_view name) noexcept;

}  // namespace pale
