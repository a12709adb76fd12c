// When a client saves its state next: as often as that costs little, at most a twentieth of the
// time. Sooner than usual where its operator may need it: a group stands still, or the model that
// is saved is so old that the server soon keeps no gradients for it and it could not come back.
// Knows no clock.
#pragma once
#include <algorithm>
#include <chrono>

#include "fedvs/protocol/identity.h"

namespace fedvs::party {

class SavingPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  static constexpr int kTimesLonger = 20;  // between two savings than one takes

  SavingPace(Time now, Duration usual, protocol::StepNumber most_steps)
      : usual_(usual), most_steps_(most_steps), saved_(now) {}

  void hurry() { hurried_ = true; }
  // `step`: of the client's model.
  bool is_due(Time now, protocol::StepNumber step) const {
    const bool soon = hurried_ || step > saved_step_ + most_steps_;
    return now - saved_ >= std::max(soon ? Duration::zero() : usual_, kTimesLonger * took_);
  }
  void note_saved(Time began, Time ended, protocol::StepNumber step) {
    saved_ = ended;
    took_ = ended - began;
    saved_step_ = step;
    hurried_ = false;
  }

 private:
  Duration usual_;
  protocol::StepNumber most_steps_;
  Time saved_;
  Duration took_{};
  protocol::StepNumber saved_step_ = 0;
  bool hurried_ = false;
};

}  // namespace fedvs::party
