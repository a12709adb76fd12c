// Finding wrong uploads. All entries of an upload are wrong or right together, so one random linear
// combination of the entries per plane shows a wrong upload but with probability 1 / prime; the
// result is then verified in every entry, and what was missed is looked for again.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fedvs/coding/berlekamp_welch.h"
#include "fedvs/coding/opening.h"

namespace fedvs::coding {
namespace {

using field::Residue;
using field::RingMatrix;

constexpr int kAttempts = 32;  // even for p = 5, all fail with probability below 2^-70

Residue inner_product(const RingMatrix& a, const RingMatrix& b, int plane) {
  const std::uint32_t prime = a.ring().prime(plane);
  Residue sum = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.cols(); ++c) {
      const Residue term = field::multiply(a.get(plane, r, c), b.get(plane, r, c), prime);
      sum = field::add(sum, term, prime);
    }
  }
  return sum;
}

// Adds the indices of shares that a fresh combination shows to be wrong; false if more than
// `errors` are.
bool look_for_wrong(const LagrangeCode& code, std::span<const Share> shares, std::size_t errors,
                    Prng& random, std::set<std::size_t>& wrong) {
  const RingMatrix& shape = *shares[0].values;
  const RingMatrix weights = field::uniform(code.ring(), shape.rows(), shape.cols(), random);
  const auto terms = static_cast<std::size_t>(code.shape().threshold());
  std::vector<Residue> points;
  for (const Share& share : shares) points.push_back(code.alpha(share.party));
  for (int plane = 0; plane < code.ring().planes(); ++plane) {
    std::vector<Residue> values;
    for (const Share& share : shares) {
      values.push_back(inner_product(*share.values, weights, plane));
    }
    const auto found = wrong_values(points, values, terms, errors, code.ring().prime(plane));
    if (!found) return false;
    wrong.insert(found->begin(), found->end());
  }
  return wrong.size() <= errors;
}

std::vector<Share> without(std::span<const Share> shares, const std::set<std::size_t>& left_out) {
  std::vector<Share> kept;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!left_out.contains(i)) kept.push_back(shares[i]);
  }
  return kept;
}

bool all_consistent(const LagrangeCode& code, std::span<const Share> shares) {
  const auto surplus = shares.subspan(static_cast<std::size_t>(code.shape().threshold()));
  return std::all_of(surplus.begin(), surplus.end(),
                     [&](const Share& share) { return consistent(code, shares, share); });
}

Error too_many(std::size_t shares, int errors) {
  return {ErrorCode::kCorrupt,
          fmt::format("more than {} of {} uploads are wrong; wait for more uploads (R + 2e of them "
                      "correct e) or stop the run",
                      errors, shares)};
}

}  // namespace

Result<Correction> correct(const LagrangeCode& code, std::span<const Share> shares, int errors) {
  FEDVS_CHECK(errors >= 0, "errors are counted from 0");
  const auto needed = static_cast<std::size_t>(code.shape().threshold() + 2 * errors);
  if (shares.size() < needed) {
    return Error{ErrorCode::kTooFewShares, fmt::format("have {} shares, need {} to correct {}",
                                                       shares.size(), needed, errors)};
  }
  Prng random = Prng::from_os();  // a cheat must not know the combination
  std::set<std::size_t> wrong;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!look_for_wrong(code, shares, static_cast<std::size_t>(errors), random, wrong)) break;
    const std::vector<Share> kept = without(shares, wrong);
    if (!all_consistent(code, kept)) continue;
    Correction correction;
    for (std::size_t i : wrong) correction.wrong.push_back(shares[i].party);
    std::sort(correction.wrong.begin(), correction.wrong.end());
    FEDVS_TRY(correction.segments, open(code, kept));
    return correction;
  }
  return too_many(shares.size(), errors);
}

}  // namespace fedvs::coding
