// New versions that R clients could not go on with if their sender left, and whose doing that is.
#include <algorithm>

#include "fedvs/protocol/server/version_policy.h"

namespace fedvs::protocol {

// What was asked for, or was until a member came back: it is then asked for another one, and the
// plan, once opened, takes the place of the versions before all the same.
bool VersionPolicy::names_new(const Plan& plan, std::size_t group) const {
  const auto& state = states_[group];
  if (living_[group].empty()) return false;
  const auto& named = plan.versions[static_cast<std::size_t>(living_[group][0])];
  return named && (named->step == state.pending || (named->step > state.ready && !state.frozen));
}

bool VersionPolicy::outlasts_any_sender(const Plan& plan, std::span<const int> there) const {
  std::vector<int> holders = board_.able(plan);
  std::erase_if(holders, [&](int n) { return std::ranges::find(there, n) == there.end(); });
  const auto outlasts = [&](int n) {
    const auto others = std::ranges::count_if(holders, [&](int m) { return m != n; });
    return others >= board_.needed_beside(n, there);
  };
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (names_new(plan, g) && !std::ranges::all_of(living_[g], outlasts)) return false;
  }
  return true;
}

std::vector<int> VersionPolicy::scarce(const Plan& plan, std::span<const int> there) const {
  std::vector<Incarnation> lives;
  for (const auto& version : plan.versions) {
    lives.push_back(version ? version->incarnation : Incarnation{});
  }
  std::vector<int> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!names_new(plan, g)) continue;
    const StepNumber step = plan.versions[static_cast<std::size_t>(living_[g][0])]->step;
    for (int n : scarce(g, step, lives, there)) all.push_back(n);
  }
  return all;
}

std::vector<int> VersionPolicy::scarce(std::size_t group, StepNumber step,
                                       std::span<const Incarnation> lives,
                                       std::span<const int> there) const {
  std::vector<int> members;
  for (int n : living_[group]) {
    const std::span<const int> sender(&n, 1);
    std::vector<int> rest = living_[group];
    std::erase(rest, n);
    const auto holds = [&](int m) { return m != n && board_.holds_all(m, sender, step, lives); };
    const auto lacks_this_one = [&](int m) {
      return m != n && board_.holds_all(m, rest, step, lives) && !holds(m);
    };
    if (std::ranges::count_if(there, holds) >= board_.needed_beside(n, there)) continue;
    if (std::ranges::any_of(there, lacks_this_one)) members.push_back(n);
  }
  return members;
}

}  // namespace fedvs::protocol
