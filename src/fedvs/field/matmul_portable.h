// The reference kernels of multiply(): plain loops over one plane that every compiler vectorises.
#pragma once
#include <cstddef>
#include <span>

#include "fedvs/field/ring_matrix.h"

namespace fedvs::field {

// out (rows.size() x h) = x[rows, :] * w_transposed, in one plane. Out is zero before.
void multiply_plane_portable(const RingMatrix& x, std::span<const std::size_t> rows,
                             const RingMatrix& w_transposed, int plane, RingMatrix& out);

}  // namespace fedvs::field
