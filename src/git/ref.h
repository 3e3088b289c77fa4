// git/ref.h: what a repository names its commits by, at one time. A value; touches no disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/json_value.h"

namespace pale::git {

enum class RefKind {
  Direct,    // names an object
  Symbolic,  // names another ref
  Odd,       // something that git would not take for a ref, or not for this one
};

struct Ref {
  std::string name;  // "refs/heads/main", "HEAD", "worktrees/fix/HEAD", "MERGE_HEAD"; any bytes
  RefKind kind = RefKind::Direct;
  std::string target;  // Direct: the object's id. Symbolic: a name. Odd: what is wrong with it
  auto operator<=>(const Ref&) const = default;
};

// Where Pale keeps what it refused. No run has any business there.
inline constexpr std::string_view kRefused = "refs/pale/refused/";
// Entries of the stash are called by this and their object: only the last of them is a ref.
inline constexpr std::string_view kStashLog = "logs/stash/";

// Whether its name stands for a state of the whole tree, as a branch's and HEAD's do. What git leaves lying for its next step, such
// as MERGE_HEAD, does not, nor does an entry of the stash.
bool is_lasting(std::string_view name) noexcept;
// Whether git takes it for a name below refs/.
bool is_good_name(std::string_view name) noexcept;
bool is_object_id(std::string_view text) noexcept;

// The content of one file.
Ref parse_loose(std::string name, std::string_view text);
// Of packed-refs; a line that is none becomes an odd ref of that name.
std::vector<Ref> parse_packed(std::string_view text);

// The object behind a name, by way of symbolic ones; empty if there is none. `refs` are sorted.
std::string resolve(const std::vector<Ref>& refs, std::string_view name);
const Ref* find(const std::vector<Ref>& refs, std::string_view name) noexcept;

void write_refs(JsonWriter& out, const std::vector<Ref>& refs);
// As they were written, sorted.
Result<std::vector<Ref>> refs_of(const JsonValue& json);

}  // namespace pale::git
