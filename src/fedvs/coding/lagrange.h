// The Lagrange code of the paper over every plane of a ring. Points, the same in every plane:
//   beta_1 .. beta_{K+T} = 0 .. K+T-1        alpha_1 .. alpha_N = K+T .. K+T+N-1
// so all are distinct modulo every prime while N + K + T <= the smallest one.
//   data   F(b_k) = X_k, F(b_{K+t}) = Z_t                      Eq. (2)   degree K+T-1
//   model  G(x) = W + z(x) r(x), z(x) = prod_k (x - b_k)       Eq. (4)   r of degree <= T-1
//   mask   O(x) = z(x) r(x)                                              r of degree <= K+2T-2
//   sum    psi(b_k) = sum over clients of X_k W                Eq. (6)   degree 2(K+T-1)
// coding/encoder.h makes shares with it.
// Departs: the paper interpolates the model through T random points as well; W + z r is the same
// distribution (the same W sits at all beta_1..beta_K) at T+1 terms per share instead of K+T.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/coding/shape.h"
#include "fedvs/field/combine.h"

namespace fedvs::coding {

class LagrangeCode {
 public:
  static Result<LagrangeCode> create(const field::Ring& ring, Shape shape);

  const Shape& shape() const { return shape_; }
  const field::Ring& ring() const { return ring_; }
  field::Residue beta(int k) const;       // k in [0, K+T)
  field::Residue alpha(int party) const;  // party in [0, N)

  const field::Coefficients& data_matrix() const { return data_; }    // N x (K+T), Eq. (2)
  const field::Coefficients& model_matrix() const { return model_; }  // N x (1+T), Eq. (4)
  const field::Coefficients& mask_matrix() const { return mask_; }    // N x (K+2T-1)

  // K x R: takes psi at the responders' alphas to psi(beta_1..K). responders.size() == R, distinct,
  // in [0, N). O(R^2) per plane the first time; cached per set (in its order) afterwards. The
  // reference holds until kCachedSets other sets have been asked for.
  static constexpr std::size_t kCachedSets = 256;
  const field::Coefficients& decode_matrix(std::span<const int> responders) const;
  // 1 x R: psi at alpha(party) from psi at the responders' alphas.
  field::Coefficients predict_matrix(std::span<const int> responders, int party) const;

 private:
  LagrangeCode(const field::Ring& ring, Shape shape);
  field::Coefficients interpolation(std::span<const field::Residue> from,
                                    std::span<const field::Residue> to) const;
  field::Ring ring_;
  Shape shape_;
  field::Coefficients data_, model_, mask_;
  struct Cache;
  std::shared_ptr<Cache> cache_;  // bounded; guarded by a mutex
};

}  // namespace fedvs::coding
