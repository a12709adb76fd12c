// Opening a sum from uploads, and what surplus uploads say about wrong ones (Reed-Solomon).
#pragma once
#include <span>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/coding/lagrange.h"

namespace fedvs::coding {

struct Share {
  int party;
  const field::RingMatrix* values;  // psi(alpha_party), one shape for all
};

// psi(beta_1), ..., psi(beta_K) from the first R shares; kTooFewShares below R.
Result<std::vector<field::RingMatrix>> open(const LagrangeCode& code,
                                            std::span<const Share> shares);
// Whether `surplus` lies on the polynomial of the first R of `shares`.
bool consistent(const LagrangeCode& code, std::span<const Share> shares, const Share& surplus);

struct Correction {
  std::vector<int> wrong;                   // parties whose upload does not fit, ascending
  std::vector<field::RingMatrix> segments;  // psi(beta_1..K) without them
};
// From R + 2e shares, up to e of them wrong (in any entries): names and leaves out the wrong ones.
// kCorrupt if more than e are wrong. Error positions are common to all entries and planes.
Result<Correction> correct(const LagrangeCode& code, std::span<const Share> shares, int errors);

}  // namespace fedvs::coding
