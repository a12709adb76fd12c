#include "fedvs/cli/networked_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/coding/shape.h"
#include "fedvs/job/presets.h"

namespace fedvs::cli {

Status check_networked_method(const Job& job) {
  if (is_coded(job)) return {};
  return Error{ErrorCode::kBadJob,
               fmt::format("method = \"{}\" runs in `fedvs train` only: a networked job takes "
                           "fedvs or fedvs-paper",
                           word(job.method))};
}

Status check_networked_shape(const Job& job) {
  FEDVS_TRY(const auto ring, field::Ring::create(job.code.ring));
  return coding::validate({job.data.clients, std::max(1, job.code.blocks), job.code.colluding},
                          ring);
}

}  // namespace fedvs::cli
