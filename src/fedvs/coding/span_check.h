// Whether T clients who know all seeds but those of the sets that contain them see a uniform mask.
// What S does not know of r(x) = sum_A prod_{a in A} (x - alpha_a) q_A(x) is the part of the sets A
// that contain S; all of it vanishes on S. It is uniform among the polynomials of degree <= K+2T-2
// that vanish on S, K+T-1 dimensions, if and only if
//   prod_{a in A} (x - alpha_a) x^j,   A contains S,   j < terms,
// span them, modulo every prime. A polynomial prod_{s in S} (x - alpha_s) g(x) with deg g <= K+T-2
// is determined by its values at beta_1 .. beta_{K+T-1}, where no x - alpha_s is zero. So the
// values at these points make one row per (A, j), the same for all S, and S is safe if the rows of
// the A that contain it have rank K+T-1.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fedvs/coding/shape.h"
#include "fedvs/coding/subsets.h"

namespace fedvs::coding {

struct MaskFamily;

// kBadShape, naming the first set S of T clients (numbers from 1) that would see more than a
// uniform mask, unless all spans are whole: every S, every plane.
Status check_spans(const field::Ring& ring, const Shape& shape, const MaskFamily& family);
// Those S, in lexicographic order, `most` of them at most.
std::vector<Subset> unsafe_subsets(const field::Ring& ring, const Shape& shape,
                                   const MaskFamily& family, std::size_t most);
// Those of `candidates` that are unsafe.
std::vector<Subset> unsafe_among(const field::Ring& ring, const Shape& shape,
                                 const MaskFamily& family, std::span<const Subset> candidates);
// Steps of check_spans, about; below a nanosecond each. A large prime counts as three small ones.
std::uint64_t span_cost(const field::Ring& ring, const Shape& shape);

}  // namespace fedvs::coding
