// sandbox/places.h: PALE_HOME and what lies in it.
#pragma once

#include <string>

namespace pale::sandbox {

struct Places {
  std::string home;  // PALE_HOME

  std::string runs() const {
    return home + "/runs";
  }  // what is under way: whatever a kill left there, the next command removes
  std::string quarantine() const { return home + "/quarantine"; }
};

}  // namespace pale::sandbox
