// What compare and reproduce do with a plan: run what is missing, then make the pages.
#pragma once
#include <string>

#include "fedvs/cli/commands.h"
#include "fedvs/experiments/study.h"

namespace fedvs::cli {

// `command` is for messages: "compare".
ExitStatus run_study(const experiments::Plan& plan, const StudyOptions& options,
                     const std::string& command);
ExitStatus fail_study(const Error& error, const StudyOptions& options, const std::string& command);

}  // namespace fedvs::cli
