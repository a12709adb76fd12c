// The public family of sets of clients that masks by seeds are made from. Every set A has a seed
// that all clients outside A know and nobody inside; from the seeds, a plan's masks follow:
//   O(x) = z(x) r(x),   r(x) = sum over A of  prod_{a in A} (x - alpha_a) q_A(x)
// with z of coding/lagrange.h, deg q_A <= K+2T-2-t, coefficients pseudorandom. All A have one size
// t, T <= t <= K+2T-2. O has the degree of psi and vanishes at beta_1..K; client m needs only the
// sets it is outside of, since the others' terms vanish at alpha_m. For T colluders and the server
// it is as good as a mask drawn uniformly if span_check.h says so of every T-subset.
//
// T = 1: the intervals A_i = {i, .., i+K-1} of a circle, t = K. Of client s, the K intervals that
// contain it give, with alpha_s left out,
//   P_j = prod_{1<=i<=j} (x - alpha_{s-i}) prod_{1<=i<=K-1-j} (x - alpha_{s+i}),   0 <= j < K.
// At alpha_{s+1} all vanish but P_{K-1}; of the rest, at alpha_{s+2} all but P_{K-2}; and so on:
// they are independent, since N >= R = 2K+1 keeps the points s-i and s+i apart. So each client
// draws N-K elements per entry, and no family does with fewer on average: every client must be
// inside of K elements, so sum_A t (K+1-t) >= N K, while N-t clients draw each of these and t <= K.
// Departs: the design has all singletons for T = 1, at (N-1) K elements.
//
// T >= 2: t = K+2T-2, one element per set, found by orbit_cover.h; where the rows of the sets
// around some T-subset depend on each other, set_repair.h adds single sets. By the same counting at
// least (1 - t/N) (N over T) (K+T-1) / (t over T) elements; found are 1.05 to 1.7 times as many.
// All T-subsets, t = T, K+T-1 terms each, always do, and cost the most.
#pragma once
#include <cstddef>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/coding/shape.h"
#include "fedvs/coding/span_check.h"

namespace fedvs::coding {

struct MaskFamily {
  std::vector<std::vector<int>> sets;  // each ascending, distinct clients
  int parties = 0;                     // N
  int size = 0;                        // t, of every set
  int terms = 0;                       // coefficients of each q_A: K+2T-1-t
  // Elements per entry that this party draws: `terms` for every set that it is outside of.
  std::size_t elements(int party) const;
  std::size_t most_elements() const;  // of any party
  bool contains(std::size_t set, int party) const;
  int maker(std::size_t set) const;  // of the seed: the first client outside of the set
};

// The same for all parties, from (N, K, T) and the primes alone; checked by check_spans. kBadShape,
// with the numbers and the largest T that would do, where search, check or masks would be too dear.
// Remembered: asking again costs nothing.
Result<MaskFamily> find_family(const field::Ring& ring, const Shape& shape);
// All T-subsets, K+T-1 terms each.
MaskFamily all_subsets(const Shape& shape);
Digest digest_of(const MaskFamily& family);

}  // namespace fedvs::coding
