// What a job of several processes must satisfy besides being a job.
#pragma once
#include "fedvs/base/result.h"
#include "fedvs/job/job.h"

namespace fedvs::cli {

Status check_networked_method(const Job& job);  // kBadJob for plaintext methods
// Whether data.clients clients, which must be set, can open a sum at all: kBadShape.
Status check_networked_shape(const Job& job);

}  // namespace fedvs::cli
