// Which masks a plan may name: of these lives, of T+1 dealers, and of none that a plan of this run
// has named before.
#include <fmt/format.h>

#include <limits>
#include <set>

#include "fedvs/protocol/plan_guard.h"

namespace fedvs::protocol {
namespace {

template <class... Args>
Error refusal(fmt::format_string<Args...> text, Args&&... args) {
  return Error{ErrorCode::kRefused, fmt::format(text, std::forward<Args>(args)...)};
}

}  // namespace

bool PlanGuard::is_of_these_lives(const MaskId& mask) const {
  return mask.server_incarnation == welcome_.server &&
         mask.dealer_incarnation == welcome_.clients[static_cast<std::size_t>(mask.dealer)];
}

PlanGuard::MaskSource PlanGuard::source_of(const MaskId& mask) {
  return {mask.dealer, mask.pool, mask.dealer_incarnation, mask.server_incarnation};
}

// Two plans under one mask: the difference of their uploads hides nothing but the sums any more.
Status PlanGuard::check_masks_unnamed(const Plan& plan) const {
  for (const auto& mask : plan.masks) {
    if (mask.number == std::numeric_limits<std::uint64_t>::max()) {
      return refusal("mask {} of dealer{}, after which there is none", mask.number,
                     agreement_.listed(mask.dealer));
    }
    const auto named = named_below_.find(source_of(mask));
    if (named == named_below_.end() || mask.number >= named->second) continue;
    return refusal("mask {} of dealer{} was used before; a mask is used once", mask.number,
                   agreement_.listed(mask.dealer));
  }
  return {};
}

Status PlanGuard::check_masks(const Plan& plan) const {
  if (!agreement_.masked) {
    if (plan.masks.empty()) return {};
    return refusal("a plan with masks in a job whose opening is \"paper\"");
  }
  std::set<int> dealers;
  for (const auto& mask : plan.masks) {
    if (mask.dealer < 0 || mask.dealer >= agreement_.shape.parties) {
      return refusal("a mask of dealer {}, who is not a client", mask.dealer + 1);
    }
    dealers.insert(mask.dealer);
    if (!is_of_these_lives(mask)) {
      return refusal("mask {} of dealer{} was made before a restart", mask.number,
                     agreement_.listed(mask.dealer));
    }
    if ((mask.pool == MaskPool::kTraining) != plan.training()) {
      return refusal("mask {} of dealer{} is not of the pool for {}", mask.number,
                     agreement_.listed(mask.dealer), plan.training() ? "training" : "evaluation");
    }
  }
  const auto needed = static_cast<std::size_t>(agreement_.shape.colluding + 1);
  if (dealers.size() < needed || plan.masks.size() != dealers.size()) {
    return refusal("{} masks of {} dealers; T + 1 = {} distinct dealers are needed",
                   plan.masks.size(), dealers.size(), needed);
  }
  return {};
}

void PlanGuard::save_masks(ByteWriter& out) const {
  out.number<std::uint64_t>(named_below_.size());
  for (const auto& [source, below] : named_below_) {
    out.number(source.dealer);
    out.number(static_cast<int>(source.pool));
    out.numbers(std::span<const std::uint8_t>(source.dealer_incarnation.bytes));
    out.numbers(std::span<const std::uint8_t>(source.server_incarnation.bytes));
    out.number(below);
  }
}

Status PlanGuard::restore_masks(ByteReader& in) {
  FEDVS_TRY(const auto sources, in.number<std::uint64_t>());
  named_below_.clear();
  for (std::uint64_t i = 0; i < sources; ++i) {
    MaskSource source{};
    FEDVS_TRY(source.dealer, in.number<int>());
    FEDVS_TRY(const int pool, in.number<int>());
    source.pool = pool == 0 ? MaskPool::kTraining : MaskPool::kEvaluation;
    FEDVS_TRY_STATUS(read_exactly(in, source.dealer_incarnation.bytes));
    FEDVS_TRY_STATUS(read_exactly(in, source.server_incarnation.bytes));
    FEDVS_TRY(named_below_[source], in.number<std::uint64_t>());
  }
  return {};
}

}  // namespace fedvs::protocol
