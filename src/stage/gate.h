// stage/gate.h: which staged changes something on the host would later execute, by itself or by a habitual command.
// Pure: it judges names, modes and texts that the caller read; the rules are the tables of stage/gate_rules.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pale::stage {

// Of a longer text, one byte more than this is enough: it is taken for the worst.
inline constexpr std::size_t kMostGateText = 1UL << 20U;

// One change, as the gate sees it. A directory need not be shown: what executes is a file in it, or behind a symlink
// that stands in its place.
struct GateView {
  std::string_view path;         // relative to the project's root, components separated by '/'
  bool existed = false;          // there was something at this path before
  bool exists = true;            // there is something now; a deletion executes nothing
  bool is_symlink = false;       // it is a symlink now: a tool follows it to files with other names
  unsigned mode_after = 0;       // permission bits of a regular file, setuid and setgid among them; 0 for anything else
  std::string_view text_before;  // contents of a regular file; empty if missing, not regular or not needed
  std::string_view text_after;
};

// Whether judging this path needs the texts, so that a caller need not read every file.
bool needs_text(std::string_view path);

// Why something on the host would execute this: completes "PATH: …" for a person, as "git runs it (hook)" does.
// Empty: nothing would.
std::string gate_reason(const GateView& change);

// Directories that became bare git repositories, which git finds and obeys without a ".git": a new HEAD beside another
// new part of one. No single path shows that. Paths as in GateView; the project's root is ".".
std::vector<std::string> planted_repositories(std::span<const std::string_view> created);

}  // namespace pale::stage
