// service/declared.h: what a project's files say of zones and workers, in whichever of the two formats, and whatever the user allows;
// and how every boundary of the project keeps it.
#pragma once

#include "service/terms.h"
#include "service/worker_files.h"
#include "worker/zones.h"

namespace pale::service {

struct Declared {
  sys::Fd root;
  Beside beside;
  worker::Declaration declaration;
  worker::Zones zones;
};
Result<Declared> read_declared(const project::Resolved& resolved, const worker::Overrides& overrides);

// Whether a project says something of zones in golem-forge's way.
Result<bool> has_golem_forge(const Path& directory);

// A zone that is read-only, or in which nothing may be written, is read-only for everybody inside; and nobody inside changes what
// decides over workers. Made part of `terms`, so that it is the kernel that keeps it.
Status guard_zones(const project::Resolved& resolved, Terms& terms);

}  // namespace pale::service
