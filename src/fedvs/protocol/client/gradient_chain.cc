#include "fedvs/protocol/client/gradient_chain.h"

#include <algorithm>

namespace fedvs::protocol {
namespace {

constexpr StepNumber kLinksKept = 1024;

bool names(const Plan& plan, StepNumber step) {
  return std::ranges::any_of(plan.versions,
                             [&](const auto& version) { return version && version->step == step; });
}

}  // namespace

GradientChain::GradientChain(const Agreement& agreement)
    : window_(kLinksKept + 2 * static_cast<StepNumber>(agreement.max_age)), links_{{0, Digest{}}} {}

const Digest* GradientChain::find(StepNumber step) const {
  const auto found = links_.find(step);
  return found == links_.end() ? nullptr : &found->second;
}

void GradientChain::add(const Gradient& gradient, double rate_factor) {
  const auto& [last, link] = *links_.rbegin();
  links_.emplace_hint(links_.end(), last + 1, next_link(link, gradient, rate_factor));
  for (auto at = links_.begin(); at->first + window_ <= step();) {
    at = names(gradient.plan(), at->first) ? std::next(at) : links_.erase(at);
  }
}

}  // namespace fedvs::protocol
