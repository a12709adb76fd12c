// The heart of FedVS in one page: five clients learn the sum of what they computed on their own
// data with their own models, and nothing else. Any three of them suffice: two may never answer.
//
// Expect three lines, the last one "exact: every sum is that of the plain computation".
//
//   cmake -B build -DCMAKE_PREFIX_PATH=<where fedvs was installed> && cmake --build build
//   build/open_a_sum
#include <cstdio>
#include <vector>

#include "fedvs/coding/encoder.h"
#include "fedvs/coding/opening.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/product.h"

using fedvs::Prng;
using fedvs::coding::LagrangeCode;
using fedvs::coding::Polynomial;
using fedvs::field::Ring;
using fedvs::field::RingMatrix;

namespace {

constexpr std::size_t kRows = 4, kFeatures = 3, kWidth = 2;  // of one segment

std::vector<std::int32_t> small_integers(std::size_t count, int seed) {
  std::vector<std::int32_t> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back((static_cast<int>(i) * 37 + seed * 101) % 2001 - 1000);
  }
  return values;
}

// A model of kWidth columns w_j in the order in which the product reads it.
RingMatrix small_model(const Ring& ring, int seed) {
  const std::size_t rows = fedvs::field::panel_rows(kWidth);
  const std::size_t cols = fedvs::field::panel_cols(kFeatures);
  std::vector<std::int32_t> panels(rows * cols);
  fedvs::field::order_panels(ring, small_integers(kWidth * kFeatures, seed), kWidth, kFeatures,
                             panels);
  return RingMatrix::from_integers(ring, rows, cols, panels);
}

// total += rows * model
void add_product(const RingMatrix& rows, const RingMatrix& model, RingMatrix& total) {
  RingMatrix product(rows.ring(), kRows, kWidth);
  multiply(rows, model, kWidth, product);
  add_into(total, product);
}

// What the parties hold: `uploads` is all that the server ever sees.
struct Sums {
  std::vector<RingMatrix> uploads;  // by party
  std::vector<RingMatrix> plain;    // by segment, for comparison only
};

// Client n shares its rows, Eq. (2), and its model, Eq. (4); every party multiplies what it got,
// Eq. (5), and adds up.
void add_client(const LagrangeCode& code, int client, Prng& masks, Sums& sums) {
  const auto [parties, blocks, colluding] = code.shape();
  std::vector<RingMatrix> rows;
  for (int k = 0; k < blocks; ++k) {
    rows.push_back(RingMatrix::from_integers(code.ring(), kRows, kFeatures,
                                             small_integers(kRows * kFeatures, 10 * client + k)));
  }
  std::vector<const RingMatrix*> row_list;
  for (const auto& matrix : rows) row_list.push_back(&matrix);

  const RingMatrix model = small_model(code.ring(), 7 * client + 3);
  const RingMatrix* const model_list[] = {&model};
  const auto data_shares =
      encode_hidden(code, Polynomial::kData, row_list, kRows, kFeatures, masks);
  const auto model_shares =
      encode_hidden(code, Polynomial::kModel, model_list, model.rows(), model.cols(), masks);
  for (std::size_t m = 0; m < data_shares.size(); ++m) {
    add_product(data_shares[m], model_shares[m], sums.uploads[m]);
  }
  for (std::size_t k = 0; k < rows.size(); ++k) add_product(rows[k], model, sums.plain[k]);
}

// T + 1 dealers add a mask that vanishes where the sums lie: the server sees the sums alone.
void mask(const LagrangeCode& code, Prng& masks, Sums& sums) {
  for (int dealer = 0; dealer <= code.shape().colluding; ++dealer) {
    const auto zero = encode_hidden(code, Polynomial::kMask, {}, kRows, kWidth, masks);
    for (std::size_t m = 0; m < zero.size(); ++m) add_into(sums.uploads[m], zero[m]);
  }
}

// Whether these clients' answers alone open the very sums of the plain computation.
bool opens_exactly(const LagrangeCode& code, const Sums& sums, const std::vector<int>& clients) {
  std::vector<fedvs::coding::Share> answers;
  for (int m : clients) answers.push_back({m, &sums.uploads[static_cast<std::size_t>(m)]});
  const auto opened = open(code, answers);
  if (!opened) std::fprintf(stderr, "%s\n", opened.error().message.c_str());
  return opened && *opened == sums.plain;
}

Sums compute(const LagrangeCode& code) {
  Prng masks = Prng::from_os();
  const auto [parties, blocks, colluding] = code.shape();
  Sums sums;
  for (int m = 0; m < parties; ++m) sums.uploads.emplace_back(code.ring(), kRows, kWidth);
  for (int k = 0; k < blocks; ++k) sums.plain.emplace_back(code.ring(), kRows, kWidth);
  for (int n = 0; n < parties; ++n) add_client(code, n, masks, sums);
  mask(code, masks, sums);
  return sums;
}

}  // namespace

int main() {
  const LagrangeCode code = LagrangeCode::create(Ring::create("rns4").value(),
                                                 {.parties = 5, .blocks = 1, .colluding = 1})
                                .value();
  std::printf("N = %d clients, K = %d, T = %d: any R = %d answers open the sum\n",
              code.shape().parties, code.shape().blocks, code.shape().colluding,
              code.shape().threshold());
  const Sums sums = compute(code);
  int sets = 0, exact = 0;
  for (int a = 0; a < 5; ++a) {
    for (int b = a + 1; b < 5; ++b) {
      for (int c = b + 1; c < 5; ++c, ++sets) exact += opens_exactly(code, sums, {a, b, c}) ? 1 : 0;
    }
  }
  std::printf("opened from %d of %d sets of three clients; the first sum is %lld\n", exact, sets,
              static_cast<long long>(sums.plain[0].to_integers()[0]));
  std::puts(exact == sets ? "exact: every sum is that of the plain computation" : "WRONG");
  return exact == sets ? 0 : 1;
}
