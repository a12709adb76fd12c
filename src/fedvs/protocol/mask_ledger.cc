#include "fedvs/protocol/mask_ledger.h"

namespace fedvs::protocol {

MaskLedger::MaskLedger(const Agreement& agreement, const HoldingsBoard& board)
    : agreement_(agreement), board_(board) {
  for (auto& pool : next_) pool.assign(static_cast<std::size_t>(agreement.shape.parties), 0);
}

MaskId MaskLedger::next_of(int dealer, MaskPool pool) const {
  const auto d = static_cast<std::size_t>(dealer);
  return {.dealer = dealer,
          .pool = pool,
          .number = next_[static_cast<int>(pool)][d],
          .dealer_incarnation = welcome_.clients[d],
          .server_incarnation = welcome_.server};
}

std::vector<MaskId> MaskLedger::candidates(MaskPool pool, int holders) const {
  std::vector<MaskId> masks;
  const auto wanted = static_cast<std::size_t>(agreement_.shape.colluding + 1);
  for (int i = 0; i < agreement_.shape.parties && masks.size() < wanted; ++i) {
    const int dealer = (turn_[static_cast<int>(pool)] + i) % agreement_.shape.parties;
    const MaskId id = next_of(dealer, pool);
    if (board_.mask_holders(id) >= holders) masks.push_back(id);
  }
  if (masks.size() < wanted) masks.clear();
  return masks;
}

std::optional<std::vector<MaskId>> MaskLedger::take(MaskPool pool) {
  if (!agreement_.masked) return std::vector<MaskId>{};
  auto masks = candidates(pool, board_.enough());
  if (masks.empty()) masks = candidates(pool, agreement_.uploads_needed());
  if (masks.empty()) return std::nullopt;
  for (const auto& id : masks) {
    ++next_[static_cast<int>(pool)][static_cast<std::size_t>(id.dealer)];
  }
  turn_[static_cast<int>(pool)] = (masks.back().dealer + 1) % agreement_.shape.parties;
  return masks;
}

}  // namespace fedvs::protocol
