#include "fedvs/protocol/server/gradient_archive.h"

#include <fmt/format.h>

namespace fedvs::protocol {

Status GradientsInMemory::append(const SentGradient& sent) {
  kept_.push_back(sent);
  return {};
}

Result<SentGradient> GradientsInMemory::read(StepNumber step) const {
  if (step >= oldest_ && step - oldest_ < kept_.size()) return kept_[step - oldest_];
  return Error{ErrorCode::kBadFile,
               fmt::format("the gradient of step {} is not kept; steps {} to {} "
                           "are",
                           step, oldest_, oldest_ + kept_.size())};
}

void GradientsInMemory::forget_before(StepNumber step) {
  for (; oldest_ < step && !kept_.empty(); ++oldest_) kept_.pop_front();
}

}  // namespace fedvs::protocol
