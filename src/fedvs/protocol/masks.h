// Zero masks: dealt ahead, held, and used once.
//   dealer d -> client m:  O_d(alpha_m),  O_d(x) = z(x) r(x),  r uniform of degree <= K+2T-2
// O_d vanishes at beta_1..beta_K, so sums do not change; T+1 dealers per plan, so any T of them may
// collude with the server. Masks are never stored: a restart voids those held and dealt.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "fedvs/base/prng.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

// One mask: its K+2T-1 uniform coefficients per entry.
class DealtMask final : public Secret {
 public:
  DealtMask(const Agreement& agreement, MaskId id, SecretSource& secrets);

 private:
  std::vector<field::RingMatrix> draw() const override;
  const Agreement& agreement_;
  MaskId id_;
  SecretSource& secrets_;
};

// The masks that a client holds.
class MaskStock {
 public:
  // Of one dealer's pool `most` are kept: the oldest goes when it deals more, and one far ahead of
  // the last is not taken.
  explicit MaskStock(int dealers, std::size_t most = 128);
  void add(const MaskId& id, SharePtr share);
  bool holds(const MaskId& id) const { return find(id) != nullptr; }
  // Whether a plan may name it: never named before, nor any later mask of its dealer.
  bool unused(const MaskId& id) const;
  // Spends it, whether or not its share has arrived: it will not be accepted in another plan.
  void spend(const MaskId& id);
  const SharePtr& share(const MaskId& id) const;                // of a mask that it holds
  void drop_spent(const std::vector<MaskId>& except);           // a share is wiped as it goes
  const std::vector<MaskRange>& arrived(MaskPool pool) const {  // per dealer, without gaps
    return arrived_[static_cast<int>(pool)];
  }
  // The dealer has started anew: its masks are void, and it numbers the next ones from 0.
  void forget_dealer(int dealer);
  // This client has: all it held are void. Dealers go on numbering; what comes next comes first.
  void forget_all();
  struct Held {
    MaskId id;
    SharePtr share;
  };
  std::vector<Held>& held(MaskPool pool, int dealer) {
    return dealers_[static_cast<int>(pool)][static_cast<std::size_t>(dealer)].held;
  }

 private:
  struct Dealer {
    std::vector<Held> held;         // a few
    std::set<std::uint64_t> early;  // numbers that came before the one below them
    std::uint64_t spent = 0;        // numbers below it are spent
    bool first_is_known = true;     // false: whatever comes next is the first
  };
  const Dealer& dealer(const MaskId& id) const;
  const Held* find(const MaskId& id) const;
  std::vector<Dealer> dealers_[kMaskPools];
  void forget(int dealer, bool first_is_known);
  void drop_oldest(Dealer& from, MaskRange& arrived);  // unless the plan of now needs it
  std::size_t most_;
  std::vector<MaskRange> arrived_[kMaskPools];  // per dealer
  std::vector<MaskId> spent_and_held_;
};

}  // namespace fedvs::protocol
