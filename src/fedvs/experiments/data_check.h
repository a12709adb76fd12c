// Whether the data of a study can be had, before hundreds of runs find out one by one.
#pragma once
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/experiments/trial.h"

namespace fedvs::experiments {

// Built-in sets: their files are there. A CSV of one's own is read once. kBadJob, kBadFile,
// kBadData as data::load says.
Status check_data(const std::vector<Trial>& trials);

}  // namespace fedvs::experiments
