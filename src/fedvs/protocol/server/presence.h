// Whether one client is there, as far as its hellos tell. Who is there and has all that it missed
// is sent the open plan; docs/design/states.md has this table, too.
//   state     event                                                                 next
//   Absent    says hello before training                                            Present
//   any       says hello later, and its hello fits the run                          Behind
//   any       says hello, and its hello does not fit the run                        SentAway
//   Behind    was sent every gradient and plan that it missed                       Present
//   Behind    something that it missed is not kept any more                         Absent
//   any       quarantined; before training, somebody came back: all say hello anew  Absent
// A lost connection changes nothing here: HoldingsBoard::lost says that nothing is expected of the
// client until its next hello.
#pragma once
#include <variant>

#include "fedvs/base/check.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::protocol {

struct Absent {};
struct SentAway {};  // it may come again with another folder; nobody waits for that
struct Behind {
  StepNumber next;  // the first gradient that it was not sent yet; it gets nothing else before
};
struct Present {};

class Presence {
 public:
  bool here() const { return is_behind() || std::holds_alternative<Present>(state_); }
  bool caught_up() const { return std::holds_alternative<Present>(state_); }
  bool is_behind() const { return std::holds_alternative<Behind>(state_); }
  bool was_sent_away() const { return std::holds_alternative<SentAway>(state_); }

  void come() { state_ = Present{}; }
  void come_behind(StepNumber next) { state_ = Behind{next}; }
  void catch_up() {
    FEDVS_CHECK(is_behind(), "only who is behind catches up");
    state_ = Present{};
  }
  void leave() { state_ = Absent{}; }
  void send_away() { state_ = SentAway{}; }

  StepNumber& next() {
    FEDVS_CHECK(is_behind(), "only who is behind misses gradients");
    return std::get<Behind>(state_).next;
  }
  StepNumber next() const { return std::get<Behind>(state_).next; }

 private:
  std::variant<Absent, SentAway, Behind, Present> state_;
};

}  // namespace fedvs::protocol
