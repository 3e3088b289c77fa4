// service/staging.h: the stage of a run: which one, entered and left.
#pragma once

#include <optional>

#include "service/terms.h"
#include "stage/store.h"

namespace pale::service {

struct Staging {
  stage::Stage stage;
  enum class Age { New, Named, There } age;  // New: named by nobody, and gone again if nothing is changed in it
};

stage::Store store_of(const Path& pale_home, const Path& root);

// Finishes what a killed apply or undo left unfinished.
Status recover_stages(const stage::Store& store);

// By the flag, else because the manifest says that work is staged. Makes nothing yet.
Result<std::optional<Staging>> choose_stage(const Request& request, const Terms& terms, const stage::Store& store);

// Locked for as long as these are open: it by this run alone, those beneath it shared.
Result<std::vector<sys::Fd>> enter_stage(const std::optional<Staging>& staging, const stage::Store& store);
// The name of the stage, if anything is changed in it. One that nobody asked for, or that no command ever ran in, goes if there
// is nothing in it.
enum class Ran { No, Yes };
Result<std::string> leave_stage(const std::optional<Staging>& staging, const stage::Store& store, Ran ran);

}  // namespace pale::service
