#include "fedvs/protocol/masks.h"

#include <algorithm>

#include "fedvs/protocol/combine_row.h"

namespace fedvs::protocol {
namespace {

std::uint64_t stream_number(const MaskId& id) {
  return id.number * kMaskPools + static_cast<std::uint64_t>(id.pool);
}

}  // namespace

DealtMask::DealtMask(const Agreement& agreement, const coding::LagrangeCode& code, MaskId id,
                     SecretSource& secrets)
    : agreement_(agreement), code_(code), id_(id), secrets_(secrets) {}

field::RingMatrix DealtMask::share(int recipient) {
  if (coefficients_.empty()) {
    Prng stream = secrets_.stream(Purpose::kZeroMask, id_.dealer, stream_number(id_));
    for (int i = 0; i < code_.mask_matrix().inputs(); ++i) {
      coefficients_.push_back(
          field::uniform(agreement_.ring, agreement_.mask_rows(), agreement_.width, stream));
    }
  }
  return combine_row(code_.mask_matrix(), recipient, coefficients_);
}

MaskStock::MaskStock(int dealers) {
  for (auto& pool : dealers_) pool.resize(static_cast<std::size_t>(dealers));
}

const MaskStock::Dealer& MaskStock::dealer(const MaskId& id) const {
  return dealers_[static_cast<int>(id.pool)][static_cast<std::size_t>(id.dealer)];
}

void MaskStock::add(const MaskId& id, MatrixPtr share) {
  auto& from = dealers_[static_cast<int>(id.pool)][static_cast<std::size_t>(id.dealer)];
  from.early.insert(id.number);
  while (from.early.erase(from.arrived) > 0) ++from.arrived;
  held_.insert_or_assign(id, std::move(share));
}

bool MaskStock::unused(const MaskId& id) const { return id.number >= dealer(id).spent; }

void MaskStock::spend(const MaskId& id) {
  auto& from = dealers_[static_cast<int>(id.pool)][static_cast<std::size_t>(id.dealer)];
  from.spent = std::max(from.spent, id.number + 1);
}

void MaskStock::drop_spent(const std::vector<MaskId>& except) {
  for (auto entry = held_.begin(); entry != held_.end();) {
    const bool keep =
        unused(entry->first) || std::ranges::find(except, entry->first) != except.end();
    entry = keep ? std::next(entry) : held_.erase(entry);
  }
}

std::vector<std::uint64_t> MaskStock::arrived(MaskPool pool) const {
  std::vector<std::uint64_t> counts;
  for (const auto& from : dealers_[static_cast<int>(pool)]) counts.push_back(from.arrived);
  return counts;
}

}  // namespace fedvs::protocol
