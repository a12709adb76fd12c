#include "fedvs/protocol/server/version_policy.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fedvs::protocol {

void VersionPolicy::meet(const Welcome& welcome) {
  if (!welcome.training) ready_as_ = welcome.clients;
  welcome_ = welcome;
  look_at_all_ = true;
}

void VersionPolicy::note_living() {
  look_at_all_ = true;
  living_ = groups_;
  for (auto& group : living_) {
    std::erase_if(group,
                  [&](int n) { return released_at_[static_cast<std::size_t>(n)].has_value(); });
  }
}

// Between two rounds, so that a plan's versions and what they are called never contradict.
void VersionPolicy::thaw_if_young(GroupState& state, StepNumber round) const {
  const bool young = round - state.ready <= static_cast<StepNumber>(agreement_.max_age);
  if (state.thawing && !state.pending && young) state.frozen = state.thawing = false;
}

std::vector<bool> VersionPolicy::ask_for_shares(StepNumber round, double now, bool all_groups) {
  std::vector<bool> share(static_cast<std::size_t>(agreement_.shape.parties), false);
  const bool waits_for_all = all_groups || !formed_ || agreement_.late_models == LateModels::kWait;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    auto& state = states_[g];
    thaw_if_young(state, round);
    const bool has_it = state.ready == round || state.pending == round;
    const bool stands = state.frozen && !state.thawing;
    if (stands || has_it || (state.pending && !waits_for_all)) continue;
    if (state.frozen) settle_debts(g);  // nobody waits for it
    ask(g, round, now, share);
  }
  return share;
}

// Whoever has shared what was asked for before owes the new one from now on. One that has come back
// since has not: what it shared in its former life does not count.
void VersionPolicy::ask(std::size_t group, StepNumber round, double now, std::vector<bool>& share) {
  auto& state = states_[group];
  for (int n : living_[group]) {
    auto& since = owed_since_[static_cast<std::size_t>(n)];
    const bool shared =
        state.pending &&
        board_.holders(std::span<const int>(&n, 1), *state.pending) >= agreement_.uploads_needed();
    since = shared ? now : std::min(since, now);
    share[static_cast<std::size_t>(n)] = true;
  }
  state.pending = round;
  state.asked_at = now;
  look_at_all_ = true;
}

void VersionPolicy::update(double now, std::optional<int> reporter) {
  const int enough = board_.enough();
  if (std::exchange(enough_, enough) != enough) reporter.reset();
  if (std::exchange(look_at_all_, false)) reporter.reset();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    auto& state = states_[g];
    if (!state.pending) continue;
    const auto news = [&](int n) { return board_.news_of(n); };
    if (reporter && std::ranges::none_of(living_[g], news)) continue;
    if (reporter && !board_.holds_all(*reporter, living_[g], *state.pending)) continue;
    if (board_.holders(living_[g], *state.pending) < enough) continue;
    note_ready(g, now);
  }
}

void VersionPolicy::note_ready(std::size_t group, double now) {
  auto& state = states_[group];
  state.ready = *state.pending;
  for (int n : living_[group])
    ready_as_[static_cast<std::size_t>(n)] = welcome_.clients[static_cast<std::size_t>(n)];
  state.took = now - state.asked_at;
  state.pending.reset();
  settle_debts(group);
}

bool VersionPolicy::moves(StepNumber round) const {
  return std::ranges::any_of(states_, [&](GroupState state) {
    thaw_if_young(state, round);
    return !state.frozen;
  });
}

bool VersionPolicy::waited_for(const GroupState& group) const {
  return std::ranges::count(group.on_time, true) >= 3;
}

std::optional<StepNumber> VersionPolicy::step_for(const GroupState& group, StepNumber round,
                                                  Choice choice) const {
  const auto max_age = static_cast<StepNumber>(agreement_.max_age);
  if (group.frozen) return group.ready;
  if (agreement_.late_models == LateModels::kDrop && choice == Choice::kNormal && formed_) {
    return group.ready == round ? std::optional(round) : std::nullopt;
  }
  if (agreement_.late_models == LateModels::kWait || !formed_ || choice == Choice::kFresh) {
    return round;
  }
  const bool young = round - group.ready <= max_age;
  if (!young && agreement_.late_models == LateModels::kDrop) return std::nullopt;
  if (group.pending == round && waited_for(group) && choice == Choice::kNormal) return round;
  return young || !group.pending ? group.ready : *group.pending;
}

std::vector<std::optional<Version>> VersionPolicy::name(StepNumber round, Choice choice) const {
  std::vector<std::optional<Version>> versions(static_cast<std::size_t>(agreement_.shape.parties));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto step = step_for(states_[g], round, choice);
    for (int n : groups_[g]) {
      const auto client = static_cast<std::size_t>(n);
      if (released_at_[client]) {
        versions[client] = Version{*released_at_[client], ready_as_[client]};
      } else if (step) {
        versions[client] = version_of(n, states_[g], *step);
      }
    }
  }
  return versions;
}

// A version that enough clients hold is named as it was shared, whoever has come back since.
Version VersionPolicy::version_of(int client, const GroupState& group, StepNumber step) const {
  const auto n = static_cast<std::size_t>(client);
  return {step, step == group.ready ? ready_as_[n] : welcome_.clients[n]};
}

bool VersionPolicy::all_fresh(StepNumber round) const {
  return std::ranges::all_of(states_, [&](const auto& s) { return s.frozen || s.ready == round; });
}

bool VersionPolicy::any_fresh(StepNumber round) const {
  return std::ranges::any_of(states_, [&](const auto& s) { return !s.frozen && s.ready == round; });
}

double VersionPolicy::slowest_fresh(StepNumber round) const {
  double slowest = 0;
  for (const auto& state : states_) {
    if (!state.frozen && state.ready == round) slowest = std::max(slowest, state.took);
  }
  return slowest;
}

void VersionPolicy::opened(const Plan& plan, double on_time) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    auto& state = states_[g];
    const auto& members = living_[g];
    if (members.empty()) continue;
    const auto& named = plan.versions[static_cast<std::size_t>(members[0])];
    // R clients have uploaded with it, so enough hold it, reported or not.
    if (named && (state.pending == named->step || named->step > state.ready)) {
      state.ready = named->step;
      for (int n : members) {
        ready_as_[static_cast<std::size_t>(n)] =
            plan.versions[static_cast<std::size_t>(n)]->incarnation;
      }
      state.took = on_time;  // it was not reported before the round closed: not early, not late
      if (state.pending == named->step) {
        state.pending.reset();
        settle_debts(g);
      }
    }
    if (!plan.training()) continue;
    const bool fresh = state.ready == plan.round && state.took <= on_time;
    state.on_time.push_back(fresh);
    if (state.on_time.size() > kRemembered) state.on_time.pop_front();
  }
}

std::vector<bool> VersionPolicy::frozen() const {
  auto frozen = released();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!states_[g].frozen) continue;
    for (int n : groups_[g]) frozen[static_cast<std::size_t>(n)] = true;
  }
  return frozen;
}

std::vector<bool> VersionPolicy::released() const {
  std::vector<bool> released;
  for (const auto& step : released_at_) released.push_back(step.has_value());
  return released;
}

}  // namespace fedvs::protocol
