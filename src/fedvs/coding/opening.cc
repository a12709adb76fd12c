#include "fedvs/coding/opening.h"

#include <fmt/format.h>

namespace fedvs::coding {
namespace {

struct FirstShares {
  std::vector<int> parties;
  std::vector<const field::RingMatrix*> values;
};

FirstShares first(std::span<const Share> shares, int count) {
  FirstShares taken;
  for (const Share& share : shares.first(static_cast<std::size_t>(count))) {
    taken.parties.push_back(share.party);
    taken.values.push_back(share.values);
  }
  return taken;
}

}  // namespace

Result<std::vector<field::RingMatrix>> open(const LagrangeCode& code,
                                            std::span<const Share> shares) {
  const int threshold = code.shape().threshold();
  if (static_cast<int>(shares.size()) < threshold) {
    return Error{ErrorCode::kTooFewShares,
                 fmt::format("have {} shares, need {}", shares.size(), threshold)};
  }
  const FirstShares taken = first(shares, threshold);
  return field::combine(code.decode_matrix(taken.parties), taken.values);
}

bool consistent(const LagrangeCode& code, std::span<const Share> shares, const Share& surplus) {
  const int threshold = code.shape().threshold();
  FEDVS_CHECK(static_cast<int>(shares.size()) >= threshold, "R shares to compare with");
  const FirstShares taken = first(shares, threshold);
  const auto expected =
      field::combine(code.predict_matrix(taken.parties, surplus.party), taken.values);
  return expected[0] == *surplus.values;
}

}  // namespace fedvs::coding
