// fedvs server --predict.
#pragma once
#include "fedvs/cli/commands.h"
#include "fedvs/run/progress.h"

namespace fedvs::cli {

Status score(const ServerOptions& options, run::Progress& progress);

}  // namespace fedvs::cli
