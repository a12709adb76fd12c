// A small world for the code: N clients with data segments and weights, their shares, and what each
// party would upload, beside the plain sums that opening must give.
#pragma once
#include <numeric>
#include <vector>

#include "fedvs/coding/encoder.h"
#include "fedvs/coding/opening.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/product.h"
#include "tests/support/rings.h"

namespace fedvs::testing {

struct CodedSum {
  std::vector<field::RingMatrix> uploads;  // of party 0 .. N-1: psi(alpha_party)
  std::vector<field::RingMatrix> sums;     // sum_n X_nk W_n for k < K, computed in the clear
};

inline field::RingMatrix product(const field::RingMatrix& x, const field::RingMatrix& panels,
                                 std::size_t width) {
  field::RingMatrix out(x.ring(), x.rows(), width);
  multiply(x, panels, width, out);
  return out;
}

// `dealers` zero masks are added to the uploads.
inline CodedSum coded_sum(const coding::LagrangeCode& code, std::size_t rows, std::size_t depth,
                          std::size_t width, int dealers, Prng& random) {
  const auto [parties, blocks, colluding] = code.shape();
  CodedSum world;
  for (int m = 0; m < parties; ++m) world.uploads.emplace_back(code.ring(), rows, width);
  for (int k = 0; k < blocks; ++k) world.sums.emplace_back(code.ring(), rows, width);
  for (int n = 0; n < parties; ++n) {
    const auto x =
        random_matrices(code.ring(), static_cast<std::size_t>(blocks), rows, depth, random);
    const auto w =
        field::uniform(code.ring(), field::panel_rows(width), field::panel_cols(depth), random);
    const field::RingMatrix* const weights = &w;
    const auto x_shares =
        encode_hidden(code, coding::Polynomial::kData, pointers(x), rows, depth, random);
    const auto w_shares =
        encode_hidden(code, coding::Polynomial::kModel, {&weights, 1}, w.rows(), w.cols(), random);
    for (std::size_t m = 0; m < x_shares.size(); ++m) {
      add_into(world.uploads[m], product(x_shares[m], w_shares[m], width));
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
      add_into(world.sums[k], product(x[k], w, width));
    }
  }
  for (int d = 0; d < dealers; ++d) {
    const auto mask = encode_hidden(code, coding::Polynomial::kMask, {}, rows, width, random);
    for (std::size_t m = 0; m < mask.size(); ++m) add_into(world.uploads[m], mask[m]);
  }
  return world;
}

inline std::vector<coding::Share> shares_of(const CodedSum& world, std::span<const int> parties) {
  std::vector<coding::Share> shares;
  for (int party : parties) {
    shares.push_back({party, &world.uploads[static_cast<std::size_t>(party)]});
  }
  return shares;
}

// Changes one entry of one plane.
inline void spoil(field::RingMatrix& upload, int plane, std::size_t row, std::size_t col) {
  const std::uint32_t prime = upload.ring().prime(plane);
  upload.set(plane, row, col, field::add(upload.get(plane, row, col), 1, prime));
}

}  // namespace fedvs::testing
