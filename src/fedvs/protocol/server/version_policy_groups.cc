// Which clients move together: those whose models take about the same time.
#include <algorithm>
#include <numeric>
#include <utility>

#include "fedvs/protocol/server/version_policy.h"

namespace fedvs::protocol {

Groups cut_into_groups(const std::vector<double>& lateness, int smallest) {
  std::vector<int> order(lateness.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int n) { return lateness[static_cast<std::size_t>(n)]; });
  const std::size_t count =
      std::max<std::size_t>(1, order.size() / static_cast<std::size_t>(smallest));
  Groups groups(count);
  for (std::size_t i = 0; i < order.size(); ++i) {
    groups[std::min(i / static_cast<std::size_t>(smallest), count - 1)].push_back(order[i]);
  }
  return groups;
}

VersionPolicy::VersionPolicy(const Agreement& agreement, const HoldingsBoard& board)
    : agreement_(agreement),
      board_(board),
      states_(1),
      released_at_(static_cast<std::size_t>(agreement.shape.parties)),
      owed_since_(static_cast<std::size_t>(agreement.shape.parties), kNever) {
  groups_.emplace_back(static_cast<std::size_t>(agreement.shape.parties));
  std::iota(groups_[0].begin(), groups_[0].end(), 0);
  note_living();
}

std::size_t VersionPolicy::group_of(int client) const {
  const auto has = [&](const auto& group) { return std::ranges::count(group, client) > 0; };
  return static_cast<std::size_t>(std::ranges::find_if(groups_, has) - groups_.begin());
}

void VersionPolicy::form_groups(const std::vector<double>& lateness, double on_time) {
  adopt_groups(cut_into_groups(lateness, agreement_.smallest_group()));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    double latest = 0;
    for (int n : groups_[g]) latest = std::max(latest, lateness[static_cast<std::size_t>(n)]);
    states_[g].on_time.assign(kRemembered, latest <= on_time);
  }
}

void VersionPolicy::adopt_groups(Groups groups) {
  const GroupState everybody = states_[0];
  groups_ = std::move(groups);
  states_.assign(groups_.size(), everybody);
  for (auto& state : states_) state.on_time.assign(kRemembered, true);
  formed_ = true;
  note_living();
}

}  // namespace fedvs::protocol
