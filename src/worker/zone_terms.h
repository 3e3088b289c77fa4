// worker/zone_terms.h: what a zone says besides its name, wherever it is written: how it may be used, and what is asked about.
#pragma once

#include "boundary/boundary.h"
#include "project/settings.h"
#include "worker/keys.h"

namespace pale::worker {

inline constexpr Choice<Access> kModes[] = {{"ro", Access::Read}, {"rw", Access::Write}};

struct ZoneTerms {
  Access access = Access::Write;
  project::ZoneApproval approval;
};

// The keys `mode` and `approval`, which are the last of the zone's.
Result<ZoneTerms> read_zone_terms(Keys& keys);

}  // namespace pale::worker
