// What everybody may know of a job's data before anything is shared.
#pragma once
#include "fedvs/base/result.h"
#include "fedvs/job/job.h"
#include "fedvs/sim/dry_run.h"

namespace fedvs::cli {

// A set whose files are here is read, so that the facts are those of the training; otherwise the
// catalogue's figures do.
Result<sim::PublicFacts> public_facts(const Job& job);

}  // namespace fedvs::cli
