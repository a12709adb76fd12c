// Reals to integers and back.   Round: half goes up.  Round_stoc, Eq. (3): unbiased.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fedvs/base/prng.h"

namespace fedvs::quant {

// Round(2^bits * x).  |2^bits * x| < 2^31.
std::int32_t round_half_up(double x, int bits);
// Round_stoc(2^bits * x): floor or floor + 1, with expectation 2^bits * x.
void round_stochastic(std::span<const float> x, int bits, Prng& rounding,
                      std::span<std::int32_t> out);
// Eq. (7), element-wise: 2^-(bits) / parties * sum, bits = l_x + l_w, in double, then to float.
// Departs: (p-1)/2 itself decodes as non-negative; Ring::integer has already centred the sum.
void dequantise(std::span<const std::int64_t> sums, int bits, int parties, std::span<float> out);

}  // namespace fedvs::quant
