#include "fedvs/protocol/server/conduct.h"

#include <algorithm>

namespace fedvs::protocol {
namespace {

constexpr int kDoublings = 6;

}  // namespace

bool Conduct::may_be_redeemed(double now, double unit) const {
  if (withheld <= 1) return true;
  return now - struck_at >= unit * static_cast<double>(1 << std::min(withheld - 1, kDoublings));
}

void Conduct::begin_to_default() {
  owes = 1 << std::min(defaulted, kDoublings);
  ++defaulted;
}

void Conduct::save(ByteWriter& out) const {
  out.flag(quarantined);
  out.flag(refused);
  out.text(reason);
  for (int count : {quarantines, withheld, defaulted}) out.number(count);
}

Status Conduct::restore(ByteReader& in) {
  FEDVS_TRY(quarantined, in.flag());
  FEDVS_TRY(refused, in.flag());
  FEDVS_TRY(reason, in.text());
  for (int* count : {&quarantines, &withheld, &defaulted}) {
    FEDVS_TRY(*count, in.number<int>());
  }
  return {};
}

}  // namespace fedvs::protocol
