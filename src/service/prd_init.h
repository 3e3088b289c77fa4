// service/prd_init.h: the use case of `pale loop init`: a prd.json to begin with.
#pragma once

#include <string>
#include <vector>

#include "service/scope.h"

namespace pale::service {

struct PrdInit {
  project::Named project;
  std::string kind;                  // a template's name
  std::vector<std::string> folders;  // none: those of the template that are there
  std::string file;                  // relative to where the user stands; empty: prd.json at the repository's root
};

struct PrdMade {
  Path file;
  std::vector<std::string> folders;
};

// Never writes over a file that is there.
Result<PrdMade> init_prd(const PrdInit& wanted, const Caller& caller);

}  // namespace pale::service
