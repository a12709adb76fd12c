// A trial: one run of a study, and how long it will take here.
#pragma once
#include <string>

#include "fedvs/job/job.h"

namespace fedvs::experiments {

struct Trial {
  std::string name;    // its run folder's; the same for the same job, wherever it is part of
  Job job;             // complete
  double seconds = 0;  // expected, on one core
};

Trial make_trial(Job job);
// Rough: what was measured on one core of an AMD EPYC. Only the proportions matter once a few runs
// have ended (time_left.h).
double expected_seconds(const Job& job);

}  // namespace fedvs::experiments
