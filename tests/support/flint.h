// FLINT as an independent oracle, wrapped so that its objects free themselves.
#pragma once
#include <flint/nmod_mat.h>
#include <flint/nmod_poly.h>

#include <cstdint>

#include "fedvs/field/ring_matrix.h"

namespace fedvs::testing {

class FlintMatrix {
 public:
  FlintMatrix(std::size_t rows, std::size_t cols, std::uint32_t prime) {
    nmod_mat_init(value_, static_cast<slong>(rows), static_cast<slong>(cols), prime);
  }
  FlintMatrix(const field::RingMatrix& matrix, int plane)
      : FlintMatrix(matrix.rows(), matrix.cols(), matrix.ring().prime(plane)) {
    for (std::size_t r = 0; r < matrix.rows(); ++r) {
      for (std::size_t c = 0; c < matrix.cols(); ++c) at(r, c) = matrix.get(plane, r, c);
    }
  }
  ~FlintMatrix() { nmod_mat_clear(value_); }
  FlintMatrix(const FlintMatrix&) = delete;
  FlintMatrix& operator=(const FlintMatrix&) = delete;
  mp_limb_t& at(std::size_t r, std::size_t c) { return value_->rows[r][c]; }
  nmod_mat_struct* get() { return value_; }

 private:
  nmod_mat_t value_;
};

class FlintPolynomial {
 public:
  explicit FlintPolynomial(std::uint32_t prime) { nmod_poly_init(value_, prime); }
  ~FlintPolynomial() { nmod_poly_clear(value_); }
  FlintPolynomial(const FlintPolynomial&) = delete;
  FlintPolynomial& operator=(const FlintPolynomial&) = delete;
  nmod_poly_struct* get() { return value_; }
  field::Residue operator()(field::Residue x) {
    return static_cast<field::Residue>(nmod_poly_evaluate_nmod(value_, x));
  }
  slong degree() { return nmod_poly_degree(value_); }

 private:
  nmod_poly_t value_;
};

}  // namespace fedvs::testing
