// N parties, K data blocks, T colluders, and what follows from them.
#pragma once
#include "fedvs/base/result.h"
#include "fedvs/field/ring.h"

namespace fedvs::coding {

struct Shape {
  int parties;    // N
  int blocks;     // K
  int colluding;  // T
  // R = 2 (K + T - 1) + 1: psi of Eq. (6) has degree 2 (K + T - 1).
  int threshold() const { return 2 * (blocks + colluding - 1) + 1; }
  int stragglers() const { return parties - threshold(); }
  // Q: two sets of so many clients have more than T in common, so an honest one among them. Where
  // clients wait for each other's word on a plan, N - Q of them may be away for long.
  int quorum() const { return (parties + colluding) / 2 + 1; }
  bool operator==(const Shape&) const = default;
};

// kBadShape, with the numbers and what would do, unless N, K >= 1, T >= 1, R <= N and
// N + K + T <= ring.points().
Status validate(const Shape& shape, const field::Ring& ring);
// The largest K with R <= floor(N / 2), at least 1.
int default_blocks(int parties, int colluding);

}  // namespace fedvs::coding
