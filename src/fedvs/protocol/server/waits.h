// What the server waits for, since when, and until when. No wait is without an end.
#pragma once
#include <algorithm>

#include "fedvs/protocol/server/pace.h"
#include "fedvs/protocol/timer.h"

namespace fedvs::protocol {

struct Waits {
  Waits(double seconds_of_silence, bool lost_ones_may_return)
      : dead_after(seconds_of_silence), clients_return(lost_ones_may_return) {}

  static constexpr double kLongest = 10;  // times dead_after: for a plan, or for rows to come

  const double dead_after;    // seconds of silence
  const bool clients_return;  // those that are lost may come back
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

  void hope(double at) {
    hopeful_since = at;
    said_stuck = false;
  }
  // Where clients come and go, rounds in which some were away must not make the next ones patient:
  // who is silent must be found out, and a revision be made without it, before dead_after is over.
  double soft_deadline() const {
    const double usual = pace.soft_deadline();
    return clients_return ? std::min(usual, patient_span() / 2) : usual;
  }
  double patient_span() const { return std::min(dead_after, std::max(dead_after / 2, 2.0)); }
  double longest_span() const {
    return clients_return ? patient_span() : std::max(dead_after, 1.0);
  }
  double setup_interval() const {       // between two questions to everybody, before training
    constexpr double kMostSeconds = 5;  // for whoever watches how far it is
    return clients_return ? std::min(dead_after / 4, kMostSeconds) : dead_after;
  }
};

}  // namespace fedvs::protocol
