// The parts of a checkpoint, by name.
#pragma once
#include <string>

#include "fedvs/sim/trial.h"

namespace fedvs::sim {

Result<std::string> find_part(const Trial::Parts& parts, const std::string& name);  // kCorrupt

}  // namespace fedvs::sim
