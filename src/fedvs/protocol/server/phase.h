// What the server is doing: one of eight phases, and which may follow which. An error ends the run
// in whatever phase it happens; the first one counts.
//
//   Gathering    all say hello                                            gathering.cc
//     enters     a server that starts; Preparing, when somebody comes back
//     leaves     the last has said hello                    -> Preparing
//                the run goes on from what was saved        -> Returning
//   Preparing    all get everybody's rows and mask seeds                  gathering.cc
//     enters     Gathering
//     leaves     all hold everything                        -> Waiting
//                somebody came back                         -> Gathering
//   Returning    it was restarted, and all say hello again                restart.cc
//     enters     Gathering, with a saved run
//     leaves     all, or enough, have said hello            -> Waiting
//                the saved run was over                     -> Done
//   Collecting   late_models = "drop": waits for new models before a plan names some
//     enters     Waiting, Opening, StandingBy: a round begins             plans.cc
//     leaves     enough hold them, or it takes too long     -> Waiting
//   Waiting      a plan is open, fewer than R uploads are there           server.cc, deadlines.cc
//     enters     every plan that is sent; Preparing and Returning pass through it without one
//     leaves     R uploads are there                        -> Opening
//                the plan is made anew                      -> Waiting
//                no plan of this epoch is left to be made   -> Collecting, StandingBy, Done
//   Opening      the sum is decoded and learned from                      opening.cc
//     enters     Waiting
//     leaves     the next plan, of a round or an evaluation -> Waiting, Collecting
//                nobody would learn from the next round     -> StandingBy
//                it was the last                            -> Done
//                the uploads contradict each other          -> Waiting, for more of them
//   StandingBy   no client can learn; asks at intervals who is back       idle.cc
//     enters     Waiting, Opening
//     leaves     some client can learn again                -> Waiting, Collecting
//   Done         for ever; who comes back gets what it missed             after.cc
// tests/protocol/states_test.cc compares docs/design/states.md with may_follow.
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
