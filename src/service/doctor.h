// service/doctor.h: what this machine offers, tried for real; what is missing, what follows, how to fix it.
#pragma once

#include <string>
#include <vector>

#include "service/request.h"

namespace pale::service {

enum class Health { Ok, Warn, Fail };

struct Finding {
  std::string name;
  Health health = Health::Ok;
  std::string found;    // what is there
  std::string follows;  // what that means for a run; empty if all is well
  std::string fix;      // a command or an action; empty if all is well
};

std::vector<Finding> examine(const Caller& caller);

}  // namespace pale::service
