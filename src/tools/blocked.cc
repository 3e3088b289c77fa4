#include "tools/blocked.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sys/file.h"

namespace pale::tools {
namespace {

constexpr std::size_t kWholeInAPipe = 4096;  // PIPE_BUF
constexpr std::size_t kMostKept = 4096;
constexpr std::size_t kMostTold = 20;

}  // namespace

std::string to_message(const Tried& tried) {
  std::string text = tried.operation + '\0' + tried.path + '\0';
  return text.size() <= kWholeInAPipe ? text : std::string();
}

std::string block_for(const Boundary& boundary, const Tried& tried) {
  const auto path = Path::parse(tried.path);
  const Grant* grant = path ? boundary.grant_for(*path) : nullptr;
  const Grant* workspace = boundary.grant_for(boundary.workspace());
  if (grant == nullptr || workspace == nullptr || workspace->access != Access::List) return {};
  if (grant->path != boundary.workspace() && grant->access >= Access::Read) return {};
  std::string folders;
  for (const Grant& other : boundary.grants()) {
    const std::string_view below = boundary.workspace().below(other.path);
    if (!below.empty() && other.access >= Access::Read) folders += (folders.empty() ? "" : ",") + std::string(below);
  }
  if (folders.empty()) return {};
  return "[WORKSPACE] BLOCKED: File access outside workspace\n[WORKSPACE]   File: " + printable(tried.path) +
         "\n[WORKSPACE]   Operation: " + printable(tried.operation) +
         "\n[WORKSPACE]   Workspace folders: " + printable(folders);
}

void Blocked::take() {
  std::array<char, 65536> buffer;
  while (line_.is_open()) {
    const auto got = sys::try_read(line_, buffer);
    if (got && !*got) break;
    const std::size_t size = got ? got->value_or(0) : 0;
    if (size == 0) return line_.reset();
    begun_.append(buffer.data(), size);
    for (;;) {
      const std::size_t middle = begun_.find('\0');
      const std::size_t end = middle == std::string::npos ? middle : begun_.find('\0', middle + 1);
      if (end == std::string::npos) break;
      kept_.push_back({begun_.substr(0, middle), begun_.substr(middle + 1, end - middle - 1)});
      begun_.erase(0, end + 1);
    }
  }
  if (kept_.size() <= kMostKept) return;
  const std::size_t old = kept_.size() - kMostKept;
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(old));
  dropped_ += old;
}

std::uint64_t Blocked::count() {
  take();
  return dropped_ + kept_.size();
}

Blocked::Since Blocked::since(std::uint64_t count) {
  take();
  Since since;
  for (std::size_t at = count > dropped_ ? count - dropped_ : 0; at < kept_.size(); ++at) {
    if (std::ranges::find(since.first, kept_[at]) != since.first.end()) continue;
    since.first.size() < kMostTold ? since.first.push_back(kept_[at]) : void(++since.more);
  }
  return since;
}

}  // namespace pale::tools
