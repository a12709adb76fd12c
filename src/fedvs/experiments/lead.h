// Who is ahead at which virtual time, by the lines' mean curves.
#pragma once
#include <string>
#include <vector>

#include "fedvs/experiments/outcome.h"

namespace fedvs::experiments {

struct Lead {
  bool known = true;        // whether every line has a curve: seeds that meet in some time
  double behind = 0;        // virtual seconds in which some other is ahead of ours
  std::string ahead_first;  // who of the others was ahead when ours was first not; or empty
  double for_good = -1;     // virtual seconds from which on ours is ahead to the end; -1: never
  double end = 0;           // virtual seconds, of what was looked at
};
// From the first evaluation of any line to the end of the last one; a line that has ended keeps its
// last accuracy, one that has not begun is behind. Level: within `points` percentage points. Needs
// outcomes with runs.
Lead lead_of(const Outcome& ours, const std::vector<const Outcome*>& others, double points);

}  // namespace fedvs::experiments
