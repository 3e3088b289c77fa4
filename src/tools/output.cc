#include "tools/output.h"

#include <fcntl.h>

#include <algorithm>

#include "sys/file.h"
#include "sys/random.h"

namespace pale::tools {
namespace {

constexpr std::size_t kMostNews = 4096;
constexpr std::uint64_t kMostAside = 256UL << 20U;  // of what nobody may ever look at

}  // namespace

void Output::add(std::string_view bytes) {
  if (size_ + bytes.size() > most_) put_aside(bytes);
  size_ += bytes.size();
  keep(bytes);
  news_ += bytes;
  if (news_.size() > 2 * kMostNews) news_.erase(0, news_.size() - kMostNews);
}

void Output::keep(std::string_view bytes) {
  const std::size_t half = most_ / 2;
  const std::size_t room = half - std::min(half, first_.size());
  first_ += bytes.substr(0, room);
  bytes.remove_prefix(std::min(room, bytes.size()));
  last_ += bytes;
  if (last_.size() > 2 * most_) last_.erase(0, last_.size() - (most_ - half));
}

// The first time, what is held goes before it.
void Output::put_aside(std::string_view bytes) {
  if (file_.empty() && aside_ == 0) {
    const auto name = sys::make_uuid();
    if (!name) return;
    const std::string path = directory_ + "/output-" + name->substr(0, 8) + ".txt";
    auto opened = sys::open_at(sys::kAbsolute, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    aside_ = first_.size() + last_.size();
    if (!opened || !sys::write_all(opened->borrow(), first_ + last_)) return;
    opened_ = std::move(*opened);
    file_ = path;
  }
  if (!opened_.is_open()) return;
  // What comes behind a gap would be taken for what was there.
  if (aside_ + bytes.size() > kMostAside || !sys::write_all(opened_.borrow(), bytes)) return opened_.reset();
  aside_ += bytes.size();
}

std::string Output::shown() const {
  if (!is_cut()) return first_ + last_;
  const std::size_t tail = std::min(last_.size(), most_ - most_ / 2);
  const std::uint64_t left_out = size_ - first_.size() - tail;
  std::string note = "\n[" + std::to_string(left_out) + " bytes are left out here";
  const std::string kept =
      aside_ == size_ ? "all of it is in " : "the first " + std::to_string(aside_) + " bytes of it are in ";
  note += file_.empty() ? "]\n" : "; " + kept + file_ + ", for read_file]\n";
  return first_ + note + last_.substr(last_.size() - tail);
}

std::string Output::news() {
  std::string news = std::move(news_);
  news_.clear();
  if (news.size() > kMostNews) news.erase(0, news.size() - kMostNews);
  return news;
}

}  // namespace pale::tools
