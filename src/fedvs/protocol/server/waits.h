// What the server waits for, since when, and until when.
#pragma once
#include "fedvs/protocol/server/pace.h"
#include "fedvs/protocol/timer.h"

namespace fedvs::protocol {

struct Waits {
  static constexpr double kLongest = 10;  // times dead_after: for a plan, or for rows to come

  double now = 0;
  double deadline = kNever;  // the next thing to do without a message
  double span = 10;          // seconds that uploads of a plan may take before anybody is asked
  Pace pace;                 // how long rounds took so far

  // ---- reports, asked of everybody when it takes too long
  double asked_at = 0;  // the last time
  bool reports_requested = false;

  // ---- limits that end a run
  double hopeful_since = 0;  // when a round began or somebody came back, whichever was last
  bool said_stuck = false;   // since then the operator was told who is waited for
  Timer below;               // fewer clients are left than a round needs
  Timer enough;              // after a restart: R clients are back
};

}  // namespace fedvs::protocol
