// A data set that needs no file. Class c is two Gaussian clouds at u_c + v_c and u_c - v_c: u_c
// tells a linear model part of the answer, v_c only a nonlinear one.
#pragma once
#include "fedvs/base/result.h"
#include "fedvs/data/dataset.h"
#include "fedvs/job/job.h"

namespace fedvs::data {

// From job.rows, .features, .classes, .clients (0: 8, or as many as there are features) and
// .split_seed. kBadJob for sizes that cannot work.
Result<Dataset> make_synthetic(const DataJob& job);

}  // namespace fedvs::data
