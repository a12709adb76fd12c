// The coded product of Eq. (5), H = X W over every plane of the ring, on the active kernel.
#pragma once
#include <cstddef>

#include "fedvs/field/ring_matrix.h"

namespace fedvs::field {

// X is b x D, W is in panels (panels.h: panel_rows(width) x panel_cols(D)), out is b x width and is
// overwritten; its padding stays zero. Exact for every D. Columns of W from `width` on and depths
// from D on may hold any residues. Threads share the rows where that pays. Allocates nothing.
// Out may be neither X nor W; X and W may be one matrix.
void multiply(const RingMatrix& x, const RingMatrix& w_panels, std::size_t width, RingMatrix& out);

}  // namespace fedvs::field
