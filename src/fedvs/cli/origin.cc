#include "fedvs/cli/origin.h"

#include <fmt/format.h>

#include "fedvs/cli/commit.h"
#include "fedvs/measure/machine.h"

namespace fedvs::cli {

study::Origin own_origin() {
  return {kCommit, fmt::format("{}, {} cores", measure::cpu_model(), measure::cores())};
}

}  // namespace fedvs::cli
