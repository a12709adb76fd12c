#include "fedvs/run/origin.h"

#include <fmt/format.h>

#include "fedvs/run/commit.h"
#include "fedvs/run/machine.h"

namespace fedvs::run {

Origin own_origin() { return {kCommit, fmt::format("{}, {} cores", cpu_model(), cores())}; }

}  // namespace fedvs::run
