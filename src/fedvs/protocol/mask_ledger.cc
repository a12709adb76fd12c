#include "fedvs/protocol/mask_ledger.h"

#include <algorithm>

namespace fedvs::protocol {

MaskLedger::MaskLedger(const Agreement& agreement, const HoldingsBoard& board)
    : agreement_(agreement),
      board_(board),
      struck_(static_cast<std::size_t>(agreement.shape.parties), false) {
  for (auto& pool : next_) pool.assign(static_cast<std::size_t>(agreement.shape.parties), 0);
}

void MaskLedger::meet(const Welcome& welcome) {
  for (std::size_t d = 0; d < welcome.clients.size(); ++d) {
    const bool same = !welcome_.clients.empty() && welcome_.clients[d] == welcome.clients[d];
    for (auto& pool : next_) pool[d] = same ? pool[d] : 0;
  }
  welcome_ = welcome;
}

bool MaskLedger::strike(const std::vector<MaskId>& masks) {
  auto struck = struck_;
  for (const auto& id : masks) struck[static_cast<std::size_t>(id.dealer)] = true;
  const bool enough = std::ranges::count(struck, false) > agreement_.shape.colluding;
  if (enough) struck_ = std::move(struck);
  return enough;
}

MaskId MaskLedger::mask_of(int dealer, MaskPool pool) const {
  const auto d = static_cast<std::size_t>(dealer);
  return {.dealer = dealer,
          .pool = pool,
          .number = next_[static_cast<int>(pool)][d],
          .dealer_incarnation = welcome_.clients[d],
          .server_incarnation = welcome_.server};
}

std::optional<MaskId> MaskLedger::next_of(int dealer, MaskPool pool, int holders) const {
  MaskId id = mask_of(dealer, pool);
  for (const auto number : board_.mask_starts(dealer, pool, id.number)) {
    id.number = number;
    if (board_.mask_holders(id) >= holders) return id;
  }
  return std::nullopt;
}

std::vector<MaskId> MaskLedger::candidates(MaskPool pool, int holders) const {
  std::vector<MaskId> masks;
  const auto wanted = static_cast<std::size_t>(agreement_.shape.colluding + 1);
  for (int i = 0; i < agreement_.shape.parties && masks.size() < wanted; ++i) {
    const int dealer = (turn_[static_cast<int>(pool)] + i) % agreement_.shape.parties;
    if (struck_[static_cast<std::size_t>(dealer)]) continue;
    if (const auto id = next_of(dealer, pool, holders)) masks.push_back(*id);
  }
  if (masks.size() < wanted) masks.clear();
  return masks;
}

std::optional<std::vector<MaskId>> MaskLedger::take(MaskPool pool) {
  if (!agreement_.masked) return std::vector<MaskId>{};
  auto masks = candidates(pool, board_.enough());
  if (masks.empty()) masks = candidates(pool, agreement_.uploads_needed());
  if (masks.empty()) return std::nullopt;
  return named(pool, std::move(masks));
}

std::vector<MaskId> MaskLedger::named(MaskPool pool, std::vector<MaskId> masks) {
  for (const auto& id : masks) {
    next_[static_cast<int>(pool)][static_cast<std::size_t>(id.dealer)] = id.number + 1;
  }
  turn_[static_cast<int>(pool)] = (masks.back().dealer + 1) % agreement_.shape.parties;
  return masks;
}

// Dealer by dealer, the first mask that leaves enough clients who hold all so far.
std::vector<MaskId> MaskLedger::common(MaskPool pool, int holders, std::vector<int> clients) const {
  std::vector<MaskId> masks;
  const auto wanted = static_cast<std::size_t>(agreement_.shape.colluding + 1);
  for (int i = 0; i < agreement_.shape.parties && masks.size() < wanted; ++i) {
    const int dealer = (turn_[static_cast<int>(pool)] + i) % agreement_.shape.parties;
    if (struck_[static_cast<std::size_t>(dealer)]) continue;
    MaskId id = mask_of(dealer, pool);
    for (const auto number : board_.mask_starts(dealer, pool, id.number)) {
      id.number = number;
      std::vector<int> left = clients;
      std::erase_if(left, [&](int n) { return !board_.holds_mask(n, id); });
      if (static_cast<int>(left.size()) < holders) continue;
      clients = std::move(left);
      masks.push_back(id);
      break;
    }
  }
  if (masks.size() < wanted) masks.clear();
  return masks;
}

std::optional<std::vector<MaskId>> MaskLedger::take_among(MaskPool pool,
                                                          const std::vector<int>& clients) {
  if (!agreement_.masked) return std::vector<MaskId>{};
  if (clients.empty()) return std::nullopt;
  const int most = std::min(board_.enough(), static_cast<int>(clients.size()));
  auto masks = common(pool, most, clients);
  if (masks.empty()) masks = common(pool, agreement_.uploads_needed(), clients);
  if (masks.empty()) return std::nullopt;
  return named(pool, std::move(masks));
}

}  // namespace fedvs::protocol
