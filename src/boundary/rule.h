// boundary/rule.h: which rule of a boundary decides at a path, and how that rule reads in a sentence.
#pragma once

#include <string>

#include "boundary/boundary.h"

namespace pale {

// What a path stands on inside. The most specific of grants and fixtures decides; of the same path, the grant. What is
// hidden hides all beneath it.
enum class Ground {
  Nothing,  // it does not exist inside
  Passage,  // a bare directory that exists only because a grant or a fixture lies beneath it
  Fixture,
  Grant,
};

struct Standing {
  Ground ground = Ground::Nothing;
  const Grant* grant = nullptr;      // set for Grant, and for a Passage to one
  const Fixture* fixture = nullptr;  // set for Fixture, and for a Passage to one
};

// The pointers live as long as the boundary does.
Standing standing_at(const Boundary& boundary, const Path& path);

// What may be done at a path that stands on `grant`: its access, less where the path is protected.
Access access_at(const Boundary& boundary, const Grant& grant, const Path& path);

// What of the host a path is that a grant covers.
Path host_path(const Grant& grant, const Path& path);

// Whether a grant shows what a stage covers, or a part of it: what is changed there is the stage's, not the host's.
bool is_staged(const Boundary& boundary, const Grant& grant);

// Landlock, which closes files whose names may be seen, cannot do so inside something writable: a fixture that holds a
// listed grant is listed itself.
Access access_at(const Boundary& boundary, const Fixture& fixture);

// "write /w" from "--rw".
struct Rule {
  std::string text;
  std::string origin;
  bool operator==(const Rule&) const = default;
};
Rule rule_of(const Grant& grant);
Rule rule_of(const Protection& protection);
Rule rule_of(const Fixture& fixture);
Rule rule_of(const Standing& standing);

}  // namespace pale
