#include "studio/door.h"

#include <array>
#include <span>

#include "base/sha256.h"
#include "base/text.h"
#include "sys/file.h"
#include "sys/random.h"

namespace pale::studio {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kMostPages = 256;
constexpr std::size_t kMostKeyFile = 64;

std::string hash_of(std::string_view secret) { return Sha256().add(secret).hex(); }

Path keys_of(const Path& pale_home) { return pale_home / "studio" / "keys"; }

bool looks_like_secret(std::string_view text) {
  return text.size() == 2 * kSecretBytes && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_over(const Page& page, std::int64_t now_ms) {
  return now_ms - page.seen_ms > kIdleMs || now_ms - page.entered_ms > kLongestMs;
}

// Nobody came with them in time.
void remove_old_keys(const Path& keys, std::int64_t now_ms) {
  const auto directory = sys::open_at(sys::kAbsolute, keys.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const auto entries = directory ? sys::list_directory(*directory) : std::vector<sys::Entry>();
  if (!entries) return;
  for (const sys::Entry& entry : *entries) {
    const auto info = sys::file_info(directory->borrow(), entry.name.c_str());
    if (info && now_ms - info->modified_ns / 1'000'000 > kKeyMs)
      (void)sys::remove_file(directory->borrow(), entry.name.c_str());
  }
}

}  // namespace

Result<std::string> make_secret() {
  std::array<std::byte, kSecretBytes> bytes = {};
  PALE_CHECK(sys::fill_random(bytes));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kDigits[std::to_integer<unsigned>(byte) & 15U];
  }
  return text;
}

Result<std::string> make_key(const Path& pale_home, std::int64_t now_ms) {
  const Path keys = keys_of(pale_home);
  PALE_CHECK(sys::make_directories(keys.text(), 0700));
  remove_old_keys(keys, now_ms);
  PALE_TRY(key, make_secret());
  PALE_CHECK(sys::replace_file((keys / hash_of(key)).text(), std::to_string(now_ms), 0600, sys::Durability::OfProcess));
  return key;
}

Result<std::string> Door::enter(std::string_view key, std::int64_t now_ms) {
  const auto no = [] {
    return fail(ErrorKind::Refused, "this link does not open Studio: it was used, or is too old", "", "pale studio");
  };
  if (!looks_like_secret(key)) return no();
  const Path file = keys_of(pale_home_) / hash_of(key);
  const auto text = sys::read_file(sys::kAbsolute, file.c_str(), kMostKeyFile);
  // Of two who come with it, one removes it, and only that one enters.
  if (!text || !sys::remove_file(sys::kAbsolute, file.c_str())) return no();
  const auto made_ms = parse_number(*text);
  if (!made_ms || now_ms - static_cast<std::int64_t>(*made_ms) > kKeyMs) return no();
  std::erase_if(pages_, [&](const auto& page) { return is_over(page.second, now_ms); });
  if (pages_.size() >= kMostPages) return fail(ErrorKind::Refused, "too many pages are open", "", "close some of them");
  PALE_TRY(cookie, make_secret());
  PALE_TRY(csrf, make_secret());
  pages_[hash_of(cookie)] = {std::move(csrf), now_ms, now_ms};
  return cookie;
}

const Page* Door::find(std::string_view cookie, std::int64_t now_ms) {
  if (!looks_like_secret(cookie)) return nullptr;
  const auto found = pages_.find(hash_of(cookie));
  if (found == pages_.end()) return nullptr;
  if (is_over(found->second, now_ms)) {
    pages_.erase(found);
    return nullptr;
  }
  found->second.seen_ms = now_ms;
  return &found->second;
}

void Door::leave(std::string_view cookie) { pages_.erase(hash_of(cookie)); }

bool same_secret(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return false;
  unsigned different = 0;
  for (std::size_t at = 0; at < left.size(); ++at)
    different |= static_cast<unsigned char>(left[at]) ^ static_cast<unsigned char>(right[at]);
  return different == 0;
}

}  // namespace pale::studio
