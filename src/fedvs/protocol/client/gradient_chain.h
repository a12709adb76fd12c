// The links of the gradients that a client has taken, by step: chain_0 is zero, and each follows
// from the one before it and a gradient (next_link). A share of a model carries the link of its
// step, which shows whether its sender has learned from the same gradients.
//   kept       the last ones: of 1024 + 2 max_age steps, more than shares are under way for
//   and        those of older steps that the last gradient's plan names: models of groups that
//              stand still. It names them in every plan from when they are young on, so that they
//              are never lost in between
//   forgotten  all others. No plan can name such a version any more, and a share of it is dropped
#pragma once
#include <map>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::v1 {
class SavedModel;
}

namespace fedvs::protocol {

class GradientChain {
 public:
  explicit GradientChain(const Agreement& agreement);
  StepNumber step() const { return links_.rbegin()->first; }
  const Digest* find(StepNumber step) const;  // null: not reached, or forgotten
  void add(const Gradient& gradient, double rate_factor);
  void begin_anew() { links_ = {{0, Digest{}}}; }
  std::size_t size() const { return links_.size(); }

  void save(v1::SavedModel& to) const;
  Status restore(const v1::SavedModel& from);  // kCorrupt, and nothing has changed

 private:
  StepNumber window_;
  std::map<StepNumber, Digest> links_;  // never empty
};

}  // namespace fedvs::protocol
