// service/loop_scopes.h: the folders that a loop is about, said at its beginning as those know it who read such lines; and the
// fileScopes that are inferred from them, again as new types of files appear.
#pragma once

#include "service/loop.h"
#include "service/loop_stories.h"
#include "service/scope.h"

namespace pale::service {

class LoopScopes {
 public:
  // `names` below the root; none: the loop is about all of it, and nothing is inferred.
  static Result<LoopScopes> begin(const Path& root, const std::vector<std::string>& names, scope::Mode mode,
                                  const Path& prd, LoopScreen& screen);

  // Not somebody's own: it stands for the folders, and binds nobody further than they do.
  bool is_inferred(const scope::Story& story) const;
  // With the types of files that there are now.
  Status infer_again(LoopScreen& screen) const;

 private:
  LoopScopes(Path prd, scope::Folders folders) : prd_(std::move(prd)), folders_(std::move(folders)) {}
  Status infer(LoopScreen& screen, bool first) const;

  Path prd_;
  scope::Folders folders_;
};

}  // namespace pale::service
