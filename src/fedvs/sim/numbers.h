// Whether a simulated run computes. Nothing in the control flow depends on values, so a run without
// them has the same plans, messages and times.
#pragma once
#include <cstdint>

namespace fedvs::sim {

enum class Numbers : std::uint8_t {
  kComputed,
  kReplayed,  // a run is brought back to where it was saved: its numbers are put in at the end
  kNone,      // a dry run, for its times
};

}  // namespace fedvs::sim
