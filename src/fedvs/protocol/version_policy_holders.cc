// New versions that R clients could not go on with if their sender left, and whose doing that is.
#include <algorithm>

#include "fedvs/protocol/version_policy.h"

namespace fedvs::protocol {

bool VersionPolicy::names_pending(const Plan& plan, std::size_t group) const {
  if (!states_[group].pending || living_[group].empty()) return false;
  const auto& named = plan.versions[static_cast<std::size_t>(living_[group][0])];
  return named && named->step == states_[group].pending;
}

bool VersionPolicy::outlasts_any_sender(const Plan& plan, std::span<const int> there) const {
  std::vector<int> holders = board_.holding_versions(plan);
  std::erase_if(holders, [&](int n) { return std::ranges::find(there, n) == there.end(); });
  const auto outlasts = [&](int n) {
    const auto others = std::ranges::count_if(holders, [&](int m) { return m != n; });
    return others >= board_.needed_beside(n, there);
  };
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (names_pending(plan, g) && !std::ranges::all_of(living_[g], outlasts)) return false;
  }
  return true;
}

std::vector<int> VersionPolicy::scarce(const Plan& plan, std::span<const int> there) const {
  std::vector<int> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!names_pending(plan, g)) continue;
    for (int n : scarce(g, there)) all.push_back(n);
  }
  return all;
}

std::vector<int> VersionPolicy::scarce(std::size_t group, std::span<const int> there) const {
  const StepNumber step = *states_[group].pending;
  std::vector<int> members;
  for (int n : living_[group]) {
    if (board_.holders_beside(n, step, there) >= board_.needed_beside(n, there)) continue;
    std::vector<int> rest = living_[group];
    std::erase(rest, n);
    const auto lacks_this_one = [&](int m) {
      return m != n && board_.holds_all(m, rest, step) &&
             !board_.holds_all(m, std::span<const int>(&n, 1), step);
    };
    if (std::ranges::any_of(there, lacks_this_one)) members.push_back(n);
  }
  return members;
}

}  // namespace fedvs::protocol
