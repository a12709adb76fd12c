// What the server is doing: one of eight phases, and which may follow which. An error ends the run
// in whatever phase it happens; the first one counts.
//
//   phase        until                                                   then
//   Gathering    everybody has said hello                                Preparing
//                the run goes on from what an earlier server has saved   Returning
//   Preparing    everybody holds everybody's rows                        Waiting
//                somebody came back                                      Gathering
//   Returning    enough have said hello again                            Waiting
//                the saved run was over                                  Done
//   Collecting   enough hold new models, or it takes too long            Waiting
//   Waiting      R uploads for the open plan are there                   Opening
//                the plan is made anew                                   Waiting
//                (passed through, without a plan, by Preparing and
//                Returning)                                              Collecting, StandingBy,
//                Done
//   Opening      the sum is opened, and the next plan made               Waiting, Collecting
//                nobody would learn from the next round                  StandingBy
//                it was the last                                         Done
//                the uploads contradict each other: more are needed      Waiting
//   StandingBy   some client can learn again                             Waiting, Collecting
//   Done         for ever
// tests/protocol/states_test.cc compares it with docs/design/states.md and with may_follow.
#pragma once
#include <cstdint>
#include <string_view>

#include "fedvs/base/result.h"

namespace fedvs::protocol {

enum class Phase : std::uint8_t {
  kGathering,
  kPreparing,
  kReturning,
  kCollecting,
  kWaiting,
  kOpening,
  kStandingBy,
  kDone
};
inline constexpr int kPhases = 8;
std::string_view name_of(Phase phase);  // "Gathering"
bool may_follow(Phase before, Phase next);

class ServerPhase {
 public:
  bool is(Phase phase) const { return phase_ == phase; }
  Phase now() const { return phase_; }
  // Rows are shared and the first plan is made, or was by an earlier server.
  bool training_started() const { return phase_ >= Phase::kReturning; }
  void enter(Phase next);  // needs may_follow
  // The run is over with this error, unless there was one before.
  void fail(Error why) {
    if (status_) status_ = std::move(why);
  }
  const Status& status() const { return status_; }

 private:
  Phase phase_ = Phase::kGathering;
  Status status_;
};

}  // namespace fedvs::protocol
