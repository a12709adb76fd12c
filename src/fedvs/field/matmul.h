// The coded product of Eq. (5): H = X[rows, :] * W, over every plane of the ring.
#pragma once
#include <cstddef>
#include <span>

#include "fedvs/field/ring_matrix.h"

namespace fedvs::field {

// H[i][j] = sum_d X[rows[i]][d] * W_t[j][d].  X is any x D, W_t is h x D (W transposed, so that D
// is contiguous in both), H is rows.size() x h. Exact for every D. Threads share the rows.
RingMatrix multiply(const RingMatrix& x, std::span<const std::size_t> rows,
                    const RingMatrix& w_transposed);

}  // namespace fedvs::field
