// fedvs server --predict.
#pragma once
#include "fedvs/cli/commands.h"
#include "fedvs/cli/progress.h"

namespace fedvs::cli {

Status score(const ServerOptions& options, Progress& progress);

}  // namespace fedvs::cli
