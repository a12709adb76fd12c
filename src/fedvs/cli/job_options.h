// From flags to a complete job.
#pragma once
#include "fedvs/base/result.h"
#include "fedvs/cli/commands.h"
#include "fedvs/job/job.h"

namespace fedvs::cli {

// --data NAME is a built-in set; anything that looks like a path is a CSV of the user's own.
Result<Job> job_from(const JobOptions& options);

}  // namespace fedvs::cli
