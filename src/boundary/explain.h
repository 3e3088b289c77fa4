// boundary/explain.h: what would happen, and because of which rule. It only explains; the kernel decides.
#pragma once

#include <string>

#include "boundary/boundary.h"

namespace pale {

enum class Operation { Read, Write, Create, Remove, Rename, Chmod, Execute };
inline constexpr Operation kOperations[] = {Operation::Read,   Operation::Write, Operation::Create, Operation::Remove,
                                            Operation::Rename, Operation::Chmod, Operation::Execute};

enum class Outcome {
  Allowed,   // by the boundary; the file's own mode may still say no
  NotFound,  // ENOENT: nothing of it exists inside
  Denied,    // EACCES
  Listed,    // a directory can be listed; a file is denied
  ReadOnly,  // EROFS
};

struct Verdict {
  Outcome outcome;
  std::string rule;    // "protected .git/hooks", "write /home/u/project"
  std::string origin;  // where the rule came from

  bool allowed() const noexcept { return outcome == Outcome::Allowed; }
};

Verdict explain(const Boundary& boundary, const Path& path, Operation operation);
// The same without the words, for whoever asks often.
Outcome outcome_of(const Boundary& boundary, const Path& path, Operation operation);

std::string_view to_text(Operation operation) noexcept;
std::string_view to_text(Outcome outcome) noexcept;

}  // namespace pale
