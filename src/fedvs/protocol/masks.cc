#include "fedvs/protocol/masks.h"

#include <algorithm>
#include <utility>

#include "fedvs/base/check.h"

namespace fedvs::protocol {
namespace {

// A dealer that starts anew numbers from 0 again; a seeded source must not repeat itself then.
std::uint64_t stream_number(const MaskId& id) {
  const std::uint64_t number = id.number * kMaskPools + static_cast<std::uint64_t>(id.pool);
  return number ^ std::uint64_t{id.dealer_incarnation.tag()} << 32;
}

}  // namespace

DealtMask::DealtMask(const Agreement& agreement, MaskId id, SecretSource& secrets)
    : Secret(agreement.ring, agreement.mask_rows(), agreement.width),
      agreement_(agreement),
      id_(id),
      secrets_(secrets) {}

std::vector<field::RingMatrix> DealtMask::draw() const {
  Prng stream = secrets_.stream(Purpose::kZeroMask, id_.dealer, stream_number(id_));
  std::vector<field::RingMatrix> coefficients;
  const int count = agreement_.shape.blocks + 2 * agreement_.shape.colluding - 1;
  for (int i = 0; i < count; ++i) {
    coefficients.push_back(field::uniform(agreement_.ring, rows(), cols(), stream));
  }
  return coefficients;
}

MaskStock::MaskStock(int dealers, std::size_t most) : most_(most) {
  for (auto& pool : dealers_) pool.resize(static_cast<std::size_t>(dealers));
  for (auto& pool : arrived_) pool.resize(static_cast<std::size_t>(dealers));
}

const MaskStock::Dealer& MaskStock::dealer(const MaskId& id) const {
  return dealers_[static_cast<int>(id.pool)][static_cast<std::size_t>(id.dealer)];
}

const MaskStock::Held* MaskStock::find(const MaskId& id) const {
  const auto& held = dealer(id).held;
  const auto found = std::ranges::find(held, id, &Held::id);
  return found == held.end() ? nullptr : &*found;
}

const SharePtr& MaskStock::share(const MaskId& id) const {
  const Held* found = find(id);
  FEDVS_CHECK(found != nullptr, "a mask is held before its share is asked for");
  return found->share;
}

void MaskStock::add(const MaskId& id, SharePtr share) {
  auto& from = dealers_[static_cast<int>(id.pool)][static_cast<std::size_t>(id.dealer)];
  auto& arrived = arrived_[static_cast<int>(id.pool)][static_cast<std::size_t>(id.dealer)];
  if (!std::exchange(from.first_is_known, true)) arrived = {id.number, id.number};
  if (id.number > arrived.to && id.number - arrived.to > most_) return;
  if (id.number == arrived.to) {
    ++arrived.to;
  } else if (id.number > arrived.to) {
    from.early.insert(id.number);
  }
  while (from.early.erase(arrived.to) > 0) ++arrived.to;
  if (const auto known = std::ranges::find(from.held, id, &Held::id); known != from.held.end()) {
    known->share = std::move(share);
    return;
  }
  from.held.push_back({id, std::move(share)});
  if (!unused(id)) spent_and_held_.push_back(id);
  if (from.held.size() > most_) drop_oldest(from, arrived);
}

void MaskStock::drop_oldest(Dealer& from, MaskRange& arrived) {
  const auto age = [&](const Held& mask) {
    return std::pair(mask.id.number < from.spent, mask.id.number);
  };
  const MaskId oldest = std::ranges::min_element(from.held, {}, age)->id;
  std::erase_if(from.held, [&](const Held& mask) { return mask.id == oldest; });
  std::erase(spent_and_held_, oldest);
  arrived.from = std::max(arrived.from, std::min(oldest.number + 1, arrived.to));
}

bool MaskStock::unused(const MaskId& id) const { return id.number >= dealer(id).spent; }

void MaskStock::spend(const MaskId& id) {
  auto& from = dealers_[static_cast<int>(id.pool)][static_cast<std::size_t>(id.dealer)];
  for (const Held& mask : from.held) {
    if (mask.id.number >= from.spent && mask.id.number <= id.number) {
      spent_and_held_.push_back(mask.id);
    }
  }
  from.spent = std::max(from.spent, id.number + 1);
}

void MaskStock::forget(int dealer, bool first_is_known) {
  for (int pool = 0; pool < kMaskPools; ++pool) {
    dealers_[pool][static_cast<std::size_t>(dealer)] =
        Dealer{.held = {}, .early = {}, .spent = 0, .first_is_known = first_is_known};
    arrived_[pool][static_cast<std::size_t>(dealer)] = {};
  }
  std::erase_if(spent_and_held_, [&](const MaskId& id) { return id.dealer == dealer; });
}

void MaskStock::forget_dealer(int dealer) { forget(dealer, /*first_is_known=*/true); }

void MaskStock::forget_all() {
  for (std::size_t d = 0; d < dealers_[0].size(); ++d) {
    forget(static_cast<int>(d), /*first_is_known=*/false);
  }
}

void MaskStock::drop_spent(const std::vector<MaskId>& except) {
  std::erase_if(spent_and_held_, [&](const MaskId& id) {
    if (std::ranges::find(except, id) != except.end()) return false;
    std::erase_if(held(id.pool, id.dealer), [&](const Held& mask) { return mask.id == id; });
    return true;
  });
}

}  // namespace fedvs::protocol
