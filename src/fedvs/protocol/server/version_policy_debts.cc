// What clients owe: the versions that their groups were asked for and that too few hold yet.
#include <algorithm>

#include "fedvs/protocol/server/version_policy.h"

namespace fedvs::protocol {

void VersionPolicy::settle_debts(std::size_t group) {
  for (int n : groups_[group]) owed_since_[static_cast<std::size_t>(n)] = kNever;
}

double VersionPolicy::first_owed_since(std::size_t group) const {
  double since = kNever;
  for (int n : living_[group]) since = std::min(since, owed_since(n));
  return since;
}

// Slack is for those who drop out later: it is not worth a member's exclusion.
std::vector<int> VersionPolicy::overdue(double now, double patience, std::span<const int> there) {
  std::vector<int> all;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& state = states_[g];
    if (!state.pending || now - first_owed_since(g) <= patience) continue;
    const bool held = board_.holders(living_[g], *state.pending) >= agreement_.uploads_needed();
    const auto members = held ? scarce(g, *state.pending, welcome_.clients, there) : lacking(g);
    if (held && members.empty()) note_ready(g, now);
    std::ranges::copy_if(members, std::back_inserter(all),
                         [&](int n) { return now - owed_since(n) > patience; });
  }
  return all;
}

// Whose share fewer than R hold; or, if every one is held by R but not by the same, the one that
// the fewest hold.
std::vector<int> VersionPolicy::lacking(std::size_t group) const {
  std::vector<int> members;
  std::optional<int> rarest;
  int fewest = 0;
  for (int n : living_[group]) {
    const int holders = board_.holders(std::span<const int>(&n, 1), *states_[group].pending);
    if (holders < agreement_.uploads_needed()) members.push_back(n);
    if (!rarest || holders < fewest) {
      rarest = n;
      fewest = holders;
    }
  }
  if (members.empty() && rarest) members.push_back(*rarest);
  return members;
}

double VersionPolicy::next_overdue(double patience) const {
  double next = kNever;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (states_[g].pending) next = std::min(next, first_owed_since(g) + patience);
  }
  return next;
}

std::optional<StepNumber> VersionPolicy::pending_of(int client) const {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (std::ranges::find(groups_[g], client) != groups_[g].end()) return states_[g].pending;
  }
  return std::nullopt;
}

}  // namespace fedvs::protocol
