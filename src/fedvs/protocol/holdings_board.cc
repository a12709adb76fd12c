#include "fedvs/protocol/holdings_board.h"

#include <algorithm>

namespace fedvs::protocol {
namespace {

bool contains(const std::vector<StepNumber>& steps, StepNumber step) {
  return std::find(steps.rbegin(), steps.rend(), step) != steps.rend();
}

}  // namespace

HoldingsBoard::HoldingsBoard(const Agreement& agreement) : agreement_(agreement) {
  const auto parties = static_cast<std::size_t>(agreement.shape.parties);
  clients_.resize(parties);
  news_.resize(parties);
  for (auto& client : clients_) {
    client.steps.resize(parties);
    client.newest.resize(parties);
    for (auto& pool : client.masks) pool.assign(parties, 0);
  }
}

void HoldingsBoard::update(int client, const Holdings& holdings, double now) {
  seen(client, now);
  auto& state = clients_[index(client)];
  state.data_complete = holdings.data_complete;
  for (std::size_t n = 0; n < state.steps.size(); ++n) {
    const auto& step = holdings.newest_step[n];
    news_[n] = false;
    if (!step || state.newest[n] == step) continue;
    state.newest[n] = step;
    if (contains(state.steps[n], *step)) continue;
    state.steps[n].push_back(*step);
    news_[n] = true;
    seen(static_cast<int>(n), now);  // news of a sender is a sign of life of it
  }
  for (int pool = 0; pool < kMaskPools; ++pool) state.masks[pool] = holdings.masks[pool];
}

void HoldingsBoard::seen(int client, double now) {
  auto& state = clients_[index(client)];
  state.last_seen = std::max(state.last_seen, now);
}

bool HoldingsBoard::data_complete() const {
  return std::ranges::all_of(clients_, [](const auto& c) { return c.data_complete; });
}

bool HoldingsBoard::holds(const ClientState& client, int sender, StepNumber step) const {
  return client.newest[index(sender)] == step || contains(client.steps[index(sender)], step);
}

bool HoldingsBoard::holds_all(int client, std::span<const int> senders, StepNumber step) const {
  const auto& state = clients_[index(client)];
  return !state.dead && std::ranges::all_of(senders, [&](int n) { return holds(state, n, step); });
}

int HoldingsBoard::holders(std::span<const int> senders, StepNumber step) const {
  int count = 0;
  for (int n = 0; n < agreement_.shape.parties; ++n) count += holds_all(n, senders, step) ? 1 : 0;
  return count;
}

int HoldingsBoard::mask_holders(const MaskId& id) const {
  return static_cast<int>(std::ranges::count_if(clients_, [&](const auto& client) {
    return !client.dead && client.masks[static_cast<int>(id.pool)][index(id.dealer)] > id.number;
  }));
}

bool HoldingsBoard::holds_versions(const ClientState& client, const Plan& plan) const {
  for (std::size_t n = 0; n < plan.versions.size(); ++n) {
    const auto& version = plan.versions[n];
    if (version && !holds(client, static_cast<int>(n), version->step)) return false;
  }
  return !client.dead;
}

bool HoldingsBoard::holds_masks(const ClientState& client, const Plan& plan) const {
  return std::ranges::all_of(plan.masks, [&](const MaskId& id) {
    return client.masks[static_cast<int>(id.pool)][index(id.dealer)] > id.number;
  });
}

std::vector<int> HoldingsBoard::holding_versions(const Plan& plan) const {
  std::vector<int> clients;
  for (std::size_t m = 0; m < clients_.size(); ++m) {
    if (holds_versions(clients_[m], plan)) clients.push_back(static_cast<int>(m));
  }
  return clients;
}

std::vector<int> HoldingsBoard::able(const Plan& plan) const {
  auto clients = holding_versions(plan);
  std::erase_if(clients, [&](int m) { return !holds_masks(clients_[index(m)], plan); });
  return clients;
}

bool HoldingsBoard::able(int client, const Plan& plan) const {
  const auto& state = clients_[index(client)];
  return holds_versions(state, plan) && holds_masks(state, plan);
}

void HoldingsBoard::forget_before(const Plan& closed) {
  for (auto& client : clients_) {
    for (std::size_t n = 0; n < closed.versions.size(); ++n) {
      if (!closed.versions[n]) continue;
      const auto old = [&](StepNumber step) { return step < closed.versions[n]->step; };
      std::erase_if(client.steps[n], old);
      if (client.newest[n] && old(*client.newest[n])) client.newest[n].reset();
    }
  }
}

int HoldingsBoard::alive() const {
  return static_cast<int>(std::ranges::count_if(clients_, [](const auto& c) { return !c.dead; }));
}

int HoldingsBoard::enough() const {
  const int needed = agreement_.uploads_needed();
  const int spare = agreement_.shape.parties - needed;
  return std::max(needed, std::min(needed + (spare + 3) / 4, alive()));
}

}  // namespace fedvs::protocol
