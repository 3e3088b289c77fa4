#include "worker/zone_terms.h"

namespace pale::worker {

Result<ZoneTerms> read_zone_terms(Keys& keys) {
  ZoneTerms terms;
  PALE_TRY(mode, keys.choice<Access>("mode", kModes));
  terms.access = mode.value_or(Access::Write);
  PALE_TRY(approval, keys.mapping("approval"));
  if (approval) {
    PALE_TRY(write, approval->choice<project::Approval>("write", project::kApprovals));
    PALE_TRY(remove, approval->choice<project::Approval>("delete", project::kApprovals));
    terms.approval = {write, remove};
    PALE_CHECK(approval->finish());
  }
  PALE_CHECK(keys.finish());
  return terms;
}

}  // namespace pale::worker
