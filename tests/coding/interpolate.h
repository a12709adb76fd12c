// Interpolation by FLINT, to compare with.
#pragma once
#include <vector>

#include "tests/support/flint.h"

namespace fedvs::testing {

// The polynomial of least degree through (points[i], values[i]).
inline void interpolate(FlintPolynomial& f, std::vector<mp_limb_t> points,
                        std::vector<mp_limb_t> values) {
  nmod_poly_interpolate_nmod_vec(f.get(), points.data(), values.data(),
                                 static_cast<slong>(points.size()));
}

}  // namespace fedvs::testing
