// Groups that stand still, and what is asked for when clients come back.
#include <algorithm>

#include "fedvs/protocol/server/version_policy.h"

namespace fedvs::protocol {

void VersionPolicy::freeze_group_of(int client) {
  const std::size_t group = group_of(client);
  auto& state = states_[group];
  state.frozen = true;
  state.thawing = false;
  state.pending.reset();
  settle_debts(group);
}

void VersionPolicy::release(int client) {
  released_at_[static_cast<std::size_t>(client)] = states_[group_of(client)].ready;
  note_living();
}

void VersionPolicy::ask_anew(std::size_t group, StepNumber round, double now,
                             std::vector<bool>& share) {
  auto& state = states_[group];
  const bool dead = std::ranges::any_of(living_[group], [&](int n) { return board_.stuck(n); });
  state.thawing = state.frozen && !dead;
  state.frozen = state.frozen || dead;
  const bool held = board_.holders(living_[group], state.ready, ready_as_) >= board_.enough();
  if (dead || (state.ready == round && !state.pending && held)) return;
  ask(group, round, now, share);
}

std::vector<bool> VersionPolicy::returned(int client, StepNumber round, double now) {
  std::vector<bool> share(static_cast<std::size_t>(agreement_.shape.parties), false);
  const bool is_released = released_at_[static_cast<std::size_t>(client)].has_value();
  if (!is_released) ask_anew(group_of(client), round, now, share);
  return share;
}

std::vector<bool> VersionPolicy::all_returned(StepNumber round, double now) {
  std::vector<bool> share(static_cast<std::size_t>(agreement_.shape.parties), false);
  for (std::size_t g = 0; g < groups_.size(); ++g) ask_anew(g, round, now, share);
  return share;
}

std::vector<bool> VersionPolicy::recover(StepNumber round, double now) {
  std::vector<bool> share(static_cast<std::size_t>(agreement_.shape.parties), false);
  const int needed = agreement_.uploads_needed();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    auto& state = states_[g];
    if (state.pending || board_.holders(living_[g], state.ready, ready_as_) >= needed) continue;
    if (board_.holders(living_[g], state.ready) < needed) {
      ask_anew(g, round, now, share);
      continue;
    }
    for (int n : living_[g]) {
      ready_as_[static_cast<std::size_t>(n)] = welcome_.clients[static_cast<std::size_t>(n)];
    }
  }
  return share;
}

}  // namespace fedvs::protocol
