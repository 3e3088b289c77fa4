#include "sandbox/standpoints.h"

#include "sys/file.h"

namespace pale::sandbox {
namespace {

std::string in_proc(sys::Pid thread, const char* name) { return "/proc/" + std::to_string(thread) + name; }

bool has_company(sys::Pid thread) {
  constexpr unsigned kAlone =
      3;  // links of the directory of its threads: itself, the one above, and one for each of them
  const auto threads = sys::file_info(sys::kAbsolute, in_proc(thread, "/task").c_str());
  return !threads || threads->links != kAlone;
}

}  // namespace

const std::string* Standpoints::of(sys::Pid thread) {
  if (leaving_ == thread) leaving_ = kNobody;
  Standpoint& place = place_of(thread);
  if (place.thread == thread) return &place.directory;
  auto directory = sys::read_link(sys::kAbsolute, in_proc(thread, "/cwd").c_str());
  if (!directory) return nullptr;
  place = {leaving_ == kNobody ? thread : kNobody, std::move(*directory)};
  return &place.directory;
}

void Standpoints::leaves(sys::Pid thread) {
  if (!has_company(thread)) return begins_anew(thread);
  forget();
  leaving_ = leaving_ == kNobody || leaving_ == thread ? thread : kSeveral;
}

void Standpoints::begins_anew(sys::Pid thread) {
  if (Standpoint& place = place_of(thread); place.thread == thread) place.thread = kNobody;
}

void Standpoints::forget() {
  for (Standpoint& place : known_) place.thread = kNobody;
}

}  // namespace pale::sandbox
