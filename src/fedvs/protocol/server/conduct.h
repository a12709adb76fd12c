// How a client has behaved, as far as a server can tell, and what follows from it.
//   quarantined   it refused, or its uploads were wrong: not counted on, and its group stands
//                 still, until it says hello again: an honest client does that when its operator
//                 starts it again, since a refusal and a farewell end its process. After
//                 kQuarantines of them, not in this run.
//   withholds     it was asked for its model and too few got it: its group stands still until they
//                 have. Its uploads count.
//   defaults      it could upload, by its own word, and did not: what it says it holds does not
//                 count until it has uploaded as often as it owes.
// Who may be counted on: HoldingsBoard::answers. Whose group stands still: HoldingsBoard::stuck.
#pragma once
#include <string>

#include "fedvs/base/bytes.h"
#include "fedvs/base/result.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::protocol {

struct Conduct {
  static constexpr int kQuarantines = 3;  // then it is for the rest of the run
  static constexpr int kFaults = 16;      // messages that no honest client sends, then quarantine

  bool quarantined = false;
  bool refused = false;  // by a Refusal of its own
  std::string reason;
  int quarantines = 0, faults = 0;

  int withheld = 0;           // times
  StepNumber asked_step = 0;  // the version that it still owes
  double struck_at = 0, asked_at = 0;

  int defaulted = 0;  // times
  int owes = 0;       // uploads

  // Every time that it promises anew it takes longer until it is believed.
  bool may_be_redeemed(double now, double unit) const;
  void begin_to_default();

  void save(ByteWriter& out) const;
  Status restore(ByteReader& in);
};

}  // namespace fedvs::protocol
