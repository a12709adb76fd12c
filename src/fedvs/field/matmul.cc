#include "fedvs/field/matmul.h"

#include <algorithm>

#include "fedvs/field/matmul_portable.h"

namespace fedvs::field {

RingMatrix multiply(const RingMatrix& x, std::span<const std::size_t> rows,
                    const RingMatrix& w_transposed) {
  FEDVS_CHECK(x.ring() == w_transposed.ring(), "one ring");
  FEDVS_CHECK(x.cols() == w_transposed.cols(), "X and W_t have one depth D");
  FEDVS_CHECK(std::all_of(rows.begin(), rows.end(), [&](auto r) { return r < x.rows(); }),
              "rows of X");
  RingMatrix out(x.ring(), rows.size(), w_transposed.rows());
  if (out.empty() || x.empty()) return out;
  for (int plane = 0; plane < x.ring().planes(); ++plane) {
    multiply_plane_portable(x, rows, w_transposed, plane, out);
  }
  return out;
}

}  // namespace fedvs::field
