// Ends a run whose validation loss gets no better.
#pragma once
#include "fedvs/protocol/timer.h"

namespace fedvs::protocol {

struct Patience {
  double best_loss = kNever;  // infinity: none yet
  int without_gain = 0;       // evaluations since
  int ended_after = 0;        // the epoch after which patience was lost; 0: it was not

  // True: this was the limit-th evaluation in a row without a better loss. limit 0: never.
  bool is_lost(double loss, int limit) {
    if (loss < best_loss) {
      best_loss = loss;
      without_gain = 0;
      return false;
    }
    return limit > 0 && ++without_gain >= limit;
  }
};

}  // namespace fedvs::protocol
