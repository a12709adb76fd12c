// Which zero masks the server may name next: dealers take turns, each mask is named once.
#pragma once
#include <optional>
#include <vector>

#include "fedvs/protocol/holdings_board.h"

namespace fedvs::protocol {

class MaskLedger {
 public:
  MaskLedger(const Agreement& agreement, const HoldingsBoard& board);
  // Dealers that have started anew number their masks from 0 again.
  void meet(const Welcome& welcome);

  // Masks of T+1 distinct dealers, each held by enough clients (by `needed` at the least where no
  // more are known to); empty if there are not so many. Takes them: a mask is named once.
  std::optional<std::vector<MaskId>> take(MaskPool pool);
  // The same of masks that so many of these clients hold together: where clients come and go, those
  // who hold one mask and those who hold another, or the models, may be different ones.
  std::optional<std::vector<MaskId>> take_among(MaskPool pool, const std::vector<int>& clients);
  // No more masks of those who dealt these. False, and nothing changes, if too few would be left.
  bool strike(const std::vector<MaskId>& masks);

 private:
  // The first mask of the dealer not named or passed by yet that so many clients hold: masks dealt
  // before some clients came back are held by too few.
  std::optional<MaskId> next_of(int dealer, MaskPool pool, int holders) const;
  MaskId mask_of(int dealer, MaskPool pool) const;  // the first not named or passed by
  std::vector<MaskId> candidates(MaskPool pool, int holders) const;
  std::vector<MaskId> common(MaskPool pool, int holders, std::vector<int> clients) const;
  std::vector<MaskId> named(MaskPool pool, std::vector<MaskId> masks);
  const Agreement& agreement_;
  const HoldingsBoard& board_;
  Welcome welcome_;
  int turn_[kMaskPools] = {0, 0};
  std::vector<std::uint64_t> next_[kMaskPools];  // per dealer
  std::vector<bool> struck_;                     // per dealer: for the rest of the run
};

}  // namespace fedvs::protocol
