#include "fedvs/protocol/server/holdings_board.h"

#include <algorithm>

namespace fedvs::protocol {
namespace {

// Of one sender, as one client tells: more than a client keeps, and than plans can name.
constexpr std::size_t kVersionsKept = 64;

// The first told goes: what a client makes up costs neither memory nor time.
void keep(std::vector<HeldVersion>& versions, const HeldVersion& version) {
  if (versions.size() >= kVersionsKept) versions.erase(versions.begin());
  versions.push_back(version);
}

bool contains(const std::vector<HeldVersion>& versions, const HeldVersion& version) {
  return std::find(versions.rbegin(), versions.rend(), version) != versions.rend();
}

}  // namespace

HoldingsBoard::HoldingsBoard(const Agreement& agreement) : agreement_(agreement) {
  const auto parties = static_cast<std::size_t>(agreement.shape.parties);
  clients_.resize(parties);
  news_.resize(parties);
  newest_of_all_.resize(parties);
  lives_.resize(parties);
  for (auto& client : clients_) {
    client.versions.resize(parties);
    client.newest.resize(parties);
  }
}

void HoldingsBoard::meet(int client, const Incarnation& incarnation) {
  somebody_returned_ = somebody_returned_ || lives_[index(client)] != 0;
  lives_[index(client)] = incarnation.short_id();
  auto& state = clients_[index(client)];
  state.silent = state.lost = false;
  for (auto& versions : state.versions) versions.clear();
  state.newest.assign(state.newest.size(), std::nullopt);
}

void HoldingsBoard::update(int client, const Holdings& holdings, double now) {
  seen(client, now);
  auto& state = clients_[index(client)];
  state.data_complete = holdings.data_complete;
  for (std::size_t n = 0; n < state.versions.size(); ++n) {
    const auto& version = holdings.newest[n];
    news_[n] = false;
    if (!version || state.newest[n] == version) continue;
    state.newest[n] = version;
    if (contains(state.versions[n], *version)) continue;
    keep(state.versions[n], *version);
    news_[n] = true;
    if (is_sign_of_life(n, *version)) seen(static_cast<int>(n), now);
  }
  for (const auto& older : holdings.older) {
    auto& versions = state.versions[index(older.sender)];
    if (!contains(versions, older.version)) keep(versions, older.version);
  }
}

// News of a sender, as soon as more than T clients have told it: no few can keep a dead client from
// being missed. But not what one that came back has kept, or was sent again by others' leave.
bool HoldingsBoard::is_sign_of_life(std::size_t sender, const HeldVersion& version) {
  const auto told = std::ranges::count_if(
      clients_, [&](const auto& c) { return contains(c.versions[sender], version); });
  if (told != agreement_.shape.colluding + 1) return false;
  auto& newest = newest_of_all_[sender];
  const bool newer = newest.short_id != version.short_id || version.step > newest.step;
  if (newer) newest = version;
  return newer || !somebody_returned_;
}

void HoldingsBoard::seen(int client, double now) {
  auto& state = clients_[index(client)];
  state.last_seen = std::max(state.last_seen, now);
  state.silent = false;
}

bool HoldingsBoard::data_complete() const {
  return std::ranges::all_of(clients_, [](const auto& c) { return c.data_complete; });
}

std::size_t HoldingsBoard::versions_kept(int client) const {
  std::size_t kept = 0;
  for (const auto& versions : clients_[index(client)].versions) kept += versions.size();
  return kept;
}

bool HoldingsBoard::holds(const ClientState& client, int sender, const HeldVersion& version) const {
  return client.newest[index(sender)] == version ||
         contains(client.versions[index(sender)], version);
}

bool HoldingsBoard::holds_all(int client, std::span<const int> senders, StepNumber step) const {
  const auto& state = clients_[index(client)];
  return answers(state) && std::ranges::all_of(senders, [&](int n) {
           return holds(state, n, {step, lives_[index(n)]});
         });
}

bool HoldingsBoard::holds_all(int client, std::span<const int> senders, StepNumber step,
                              std::span<const Incarnation> lives) const {
  const auto& state = clients_[index(client)];
  return answers(state) && std::ranges::all_of(senders, [&](int n) {
           return holds(state, n, {step, lives[index(n)].short_id()});
         });
}

int HoldingsBoard::holders(std::span<const int> senders, StepNumber step) const {
  int count = 0;
  for (int n = 0; n < agreement_.shape.parties; ++n) count += holds_all(n, senders, step) ? 1 : 0;
  return count;
}

int HoldingsBoard::holders(std::span<const int> senders, StepNumber step,
                           std::span<const Incarnation> lives) const {
  int count = 0;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    count += holds_all(n, senders, step, lives) ? 1 : 0;
  }
  return count;
}

int HoldingsBoard::holders_beside(int sender, StepNumber step, std::span<const int> there) const {
  const std::span<const int> one(&sender, 1);
  return static_cast<int>(
      std::ranges::count_if(there, [&](int n) { return n != sender && holds_all(n, one, step); }));
}

int HoldingsBoard::needed_beside(int sender, std::span<const int> there) const {
  const auto others = std::ranges::count_if(there, [&](int n) { return n != sender; });
  return std::min(agreement_.uploads_needed(), static_cast<int>(others));
}

bool HoldingsBoard::able(const ClientState& client, const Plan& plan) const {
  for (std::size_t n = 0; n < plan.versions.size(); ++n) {
    const auto& version = plan.versions[n];
    if (!version) continue;
    const HeldVersion named{version->step, version->incarnation.short_id()};
    if (!holds(client, static_cast<int>(n), named)) return false;
  }
  return answers(client) && client.data_complete;
}

std::vector<int> HoldingsBoard::able(const Plan& plan) const {
  std::vector<int> clients;
  for (int m = 0; m < agreement_.shape.parties; ++m) {
    if (able(m, plan)) clients.push_back(m);
  }
  return clients;
}

bool HoldingsBoard::able(int client, const Plan& plan) const {
  return able(clients_[index(client)], plan);
}

void HoldingsBoard::forget_before(const Plan& closed) {
  for (auto& client : clients_) {
    for (std::size_t n = 0; n < closed.versions.size(); ++n) {
      if (!closed.versions[n]) continue;
      const auto old = [&](const HeldVersion& v) { return v.step < closed.versions[n]->step; };
      std::erase_if(client.versions[n], old);
      if (client.newest[n] && old(*client.newest[n])) client.newest[n].reset();
    }
  }
}

std::vector<int> HoldingsBoard::living() const {
  std::vector<int> living;
  for (std::size_t n = 0; n < clients_.size(); ++n) {
    if (answers(clients_[n]) && clients_[n].data_complete) living.push_back(static_cast<int>(n));
  }
  return living;
}

int HoldingsBoard::alive() const {
  return static_cast<int>(std::ranges::count_if(
      clients_, [](const auto& c) { return !c.dead && !c.quarantined && !c.defaults; }));
}

int HoldingsBoard::enough() const {
  const int needed = agreement_.uploads_needed();
  const int spare = agreement_.shape.parties - needed;
  const auto there =
      static_cast<int>(std::ranges::count_if(clients_, [](const auto& c) { return answers(c); }));
  return std::max(needed, std::min(needed + (spare + 3) / 4, there));
}

}  // namespace fedvs::protocol
