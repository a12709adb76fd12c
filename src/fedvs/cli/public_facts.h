// What everybody may know of a job's data before anything is shared.
#pragma once
#include <optional>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/job/job.h"
#include "fedvs/sim/dry_run.h"

namespace fedvs::cli {

// What people say of data that is not here.
struct Counts {
  std::optional<std::size_t> rows;
  std::vector<int> columns;  // per client
  std::optional<int> classes;
};

// Counts that are given are the facts, and they must be where the data is parties' own files.
// Otherwise a set whose files are here is read, so that the facts are those of the training; or the
// catalogue's figures do. kBadJob, naming flags of `fedvs plan`, if counts are missing or do not
// fit.
Result<sim::PublicFacts> public_facts(const Job& job, const Counts& counts);

}  // namespace fedvs::cli
