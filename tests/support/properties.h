// rapidcheck under GoogleTest, with a fixed seed: a failure is the same on every run.
// RC_PARAMS in the environment overrides it.
#pragma once
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

namespace fedvs::testing {

inline const int kPropertySeed = ::setenv("RC_PARAMS", "seed=2023 max_success=60", /*replace=*/0);

}  // namespace fedvs::testing
