#include "service/approval_place.h"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "session/question.h"
#include "sys/file.h"
#include "sys/random.h"

namespace pale::service {
namespace {

constexpr const char* kKeyFile = "key";
constexpr std::size_t kKeyLength = 32;
constexpr std::int64_t kLongestWaitMs = 10'000;
// No l and o, no 0 and 1; 32 of them, so that five random bits are one.
constexpr std::string_view kLetters = "abcdefghijkmnpqrstuvwxyz23456789";

Result<std::string> random_word(std::size_t length) {
  std::array<std::byte, kKeyLength> bytes;
  PALE_CHECK(sys::fill_random(std::span(bytes).first(length)));
  std::string word;
  for (std::size_t at = 0; at < length; ++at)
    word += kLetters[std::to_integer<std::size_t>(bytes[at]) % kLetters.size()];
  return word;
}

Result<sys::Fd> open_directory(const Path& pale_home) {
  const Path place = pale_home / "approvals";
  return sys::open_at(sys::kAbsolute, place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

// Empty: there is none yet, or whoever made it was killed over it.
Result<std::string> read_key(const sys::Fd& directory) {
  auto file = sys::open_at(directory.borrow(), kKeyFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file && file.error().number == ENOENT) return std::string();
  if (!file) return std::unexpected(std::move(file).error());
  PALE_TRY(key, sys::read_all(*file, kKeyLength + 1));
  return key.size() == kKeyLength ? key : std::string();
}

Result<std::string> make_key(const sys::Fd& directory) {
  PALE_TRY(key, random_word(kKeyLength));
  PALE_TRY(file, sys::open_at(directory.borrow(), kKeyFile, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600));
  PALE_CHECK(sys::write_all(file.borrow(), key));
  return key;
}

}  // namespace

Result<std::optional<ApprovalPlace>> find_approval_place(const Path& pale_home) {
  auto directory = open_directory(pale_home);
  if (!directory && directory.error().number == ENOENT) return std::nullopt;
  if (!directory) return std::unexpected(std::move(directory).error());
  PALE_TRY(key, read_key(*directory));
  if (key.empty()) return std::nullopt;
  return ApprovalPlace{std::move(*directory), std::move(key)};
}

Result<ApprovalPlace> make_approval_place(const Path& pale_home) {
  PALE_CHECK(sys::make_directories((pale_home / "approvals").text(), 0700));
  PALE_TRY(directory, open_directory(pale_home));
  ApprovalPlace place{std::move(directory), {}};
  PALE_TRY(key, read_key(place.directory));
  place.key = std::move(key);
  if (!place.key.empty()) return place;
  PALE_TRY(lock, lock_approval_place(place));
  PALE_TRY(made_meanwhile, read_key(place.directory));
  place.key = std::move(made_meanwhile);
  if (!place.key.empty()) return place;
  PALE_TRY(made, make_key(place.directory));
  place.key = std::move(made);
  return place;
}

Result<sys::Fd> lock_approval_place(const ApprovalPlace& place) {
  PALE_TRY(lock, sys::open_at(place.directory.borrow(), ".", O_RDONLY | O_DIRECTORY));
  PALE_TRY(state, sys::lock_within(lock, sys::LockKind::Exclusive, kLongestWaitMs));
  if (state == sys::Lock::Taken) return lock;
  return fail(ErrorKind::System, "another pale holds the place of questions", "", "try again in a moment");
}

Result<std::string> make_question_id() { return random_word(session::kIdLength); }

}  // namespace pale::service
