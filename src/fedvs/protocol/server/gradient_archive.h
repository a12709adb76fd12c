// The gradients that were broadcast, for clients that come back: from the oldest on that one of
// them may still need, or that can be kept at all.
#pragma once
#include <memory>

#include "fedvs/base/result.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::protocol {

struct SentGradient {
  std::shared_ptr<const Gradient> gradient;
  double rate_factor = 1;
  Digest before{};  // the link of the gradients before it
};

class GradientArchive {
 public:
  virtual ~GradientArchive() = default;
  virtual Status append(const SentGradient& sent) = 0;           // of the step after the last
  virtual Result<SentGradient> read(StepNumber step) const = 0;  // kBadFile if it is gone
  virtual StepNumber oldest() const = 0;                         // step of the first that is kept
  virtual void forget_before(StepNumber step) = 0;
  // From which step on they fit into the room that there is for them.
  virtual StepNumber oldest_that_fits() const { return 0; }
};

}  // namespace fedvs::protocol
