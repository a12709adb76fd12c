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

 private:
  // The first mask of the dealer not named or passed by yet that so many clients hold: masks dealt
  // before some clients came back are held by too few.
  std::optional<MaskId> next_of(int dealer, MaskPool pool, int holders) const;
  std::vector<MaskId> candidates(MaskPool pool, int holders) const;
  const Agreement& agreement_;
  const HoldingsBoard& board_;
  Welcome welcome_;
  int turn_[kMaskPools] = {0, 0};
  std::vector<std::uint64_t> next_[kMaskPools];  // per dealer
};

}  // namespace fedvs::protocol
