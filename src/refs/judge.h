// refs/judge.h: which of the refs that moved lead to something outside of what a run may change. Pure: of the repository's objects
// it asks. The rule, "outside" being all that is not allowed:
//   a commit that is new is, outside, the same as one of its parents; one without parents has nothing there;
//   a branch, a tag or HEAD that was there names a tree that is the same outside as before, and is still there;
//   what Pale keeps of commits that it refused is as it was.
#pragma once

#include <optional>
#include <set>

#include "git/ref.h"
#include "refs/outside.h"

namespace pale::refs {

using git::Ref;
using git::RefKind;

struct Object {
  enum class Kind { Commit, Tree, Blob } kind = Kind::Commit;
  std::string id;
};

struct Commit {
  std::string tree;
  std::vector<std::string> parents;
  std::int64_t time = 0;
  std::string subject;
};

class Objects : public Trees {
 public:
  // What a tag is about, down through tags of tags.
  virtual Result<Object> peel(const std::string& id) = 0;
  virtual Result<Commit> commit(const std::string& id) = 0;
  virtual bool has(const std::string& id) = 0;
};

enum class Wrong {
  Outside,    // it leads to a change outside
  Removed,    // it was there
  Odd,        // git, or Pale, cannot read it
  Kept,       // Pale keeps something there that it refused, or would
  NoCommit,   // what it names is no commit: there is no telling what it is about
  Unchecked,  // it moved, and the check came to no end
};

struct Verdict {
  std::string ref;
  Wrong wrong = Wrong::Outside;
  std::string now;                 // the object it names, if there is one
  std::string commit;              // Outside: the commit that touches the paths; else empty
  std::string subject;             // of that commit
  std::vector<std::string> paths;  // Outside: the first few
  std::string kept;                // where the object is kept, if it was refused
};

struct Judgement {
  std::size_t moved = 0;  // refs that are not as they were
  std::vector<Verdict> verdicts;
};

// Both sorted. An error: something of the repository cannot be read, and nothing is known.
Result<Judgement> judge(const std::vector<Ref>& before, const std::vector<Ref>& after, const Allowed& allowed,
                        Objects& objects);

// Every ref that moved, for a check that failed.
std::vector<Verdict> all_moved(const std::vector<Ref>& before, const std::vector<Ref>& after);

}  // namespace pale::refs
