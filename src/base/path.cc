#include "base/path.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace pale {

namespace {

// Nothing to remove and nothing to refuse, which is what most texts are: one look at each byte.
bool is_clean(std::string_view text) noexcept {
  if (text.empty() || (text.size() > 1 && text.back() == '/')) return false;
  for (std::size_t at = text.front() == '/' ? 1 : 0; at < text.size(); ++at) {
    const bool starts = at == 0 || text[at - 1] == '/';
    if (text[at] == '\0' || (starts && text[at] == '/')) return false;
    if (starts && text[at] == '.' && (at + 1 == text.size() || text[at + 1] == '/' || text[at + 1] == '.'))
      return false;
  }
  return true;
}

}  // namespace

Result<Path> Path::parse(std::string_view text) {
  if (is_clean(text)) return Path(std::string(text));
  if (text.empty()) return fail(ErrorKind::Usage, "a path is empty", "");
  if (text.find('\0') != std::string_view::npos) return fail(ErrorKind::Usage, "a path holds a NUL byte", "");
  std::string clean = text.front() == '/' ? "/" : "";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const std::string_view name = text.substr(at, end - at);
    at = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      return fail(ErrorKind::Usage, "a path must not go up with '..':", std::string(text),
                  "write the path it leads to");
    }
    if (!clean.empty() && clean.back() != '/') clean += '/';
    clean += name;
  }
  if (clean.empty()) return fail(ErrorKind::Usage, "a path names nothing:", std::string(text));
  return Path(std::move(clean));
}

Path Path::literal(std::string_view text) {
  if (is_clean(text)) return Path(std::string(text));
  auto path = parse(text);
  if (!path) std::abort();
  return std::move(*path);
}

std::vector<std::string_view> Path::components() const {
  std::vector<std::string_view> names;
  const std::string_view text = text_;
  for (std::size_t at = is_absolute() ? 1 : 0; at < text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::size_t Path::depth() const noexcept {
  if (is_root()) return 0;
  const auto slashes = static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '/'));
  return is_absolute() ? slashes : slashes + 1;
}

std::string_view Path::name() const noexcept {
  const std::string_view text = text_;
  return is_root() ? std::string_view{} : text.substr(text.rfind('/') + 1);
}

Path Path::parent() const {
  const std::size_t slash = text_.rfind('/');
  if (slash == std::string::npos) return *this;
  return Path(slash == 0 ? "/" : text_.substr(0, slash));
}

// Asked hundreds of times at a start: what is cheap and mostly says no comes first.
bool Path::covers(const Path& other) const noexcept {
  if (is_root()) return other.is_absolute();
  const std::size_t size = text_.size();
  if (other.text_.size() < size || (other.text_.size() > size && other.text_[size] != '/')) return false;
  return std::memcmp(other.text_.data(), text_.data(), size) == 0;
}

Path Path::operator/(std::string_view relative) const {
  const std::size_t above = is_root() ? 0 : text_.size();
  const std::size_t size = above + 1 + relative.size();
  std::string joined;
  joined.resize_and_overwrite(size, [&](char* text, std::size_t /*room*/) {  // libstdc++ 12 says how much room there is
    text_.copy(text, above);
    text[above] = '/';
    relative.copy(text + above + 1, relative.size());
    return size;
  });
  // What is clean and begins with no slash stays so behind what is clean.
  const bool clean = is_clean(relative) && relative.front() != '/';
  return clean ? Path(std::move(joined)) : literal(joined);
}

std::string_view Path::below(const Path& other) const noexcept {
  if (!covers(other) || *this == other) return {};
  return std::string_view(other.text_).substr(is_root() ? 1 : text_.size() + 1);
}

bool name_matches(std::string_view pattern, std::string_view name) noexcept {
  // The classic two-pointer walk: on a mismatch, let the last '*' swallow one more byte.
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace pale
