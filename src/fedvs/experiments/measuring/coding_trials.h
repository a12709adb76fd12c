// Sharing, opening and masking on random residues of a given size, and the rate of memory beside
// them: run() is one call, bytes() what it makes.
#pragma once
#include <cstddef>
#include <vector>

#include "fedvs/coding/lagrange.h"

namespace fedvs::measuring {

// `count` blocks of one row each.
struct Blocks {
  Blocks(const field::Ring& ring, int count, std::size_t columns);
  std::vector<field::RingMatrix> matrices;
  std::vector<const field::RingMatrix*> pointers;
};

// Shares for `parties` of K + T blocks of `columns` elements each, Eq. (2).
class EncodeTrial {
 public:
  EncodeTrial(const field::Ring& ring, coding::Shape shape, std::size_t columns);
  void run();
  double bytes() const;  // of shares

 private:
  coding::LagrangeCode code_;
  Blocks blocks_, shares_;
};

// K sums of `columns` elements each from R uploads, Eq. (6).
class DecodeTrial {
 public:
  DecodeTrial(const field::Ring& ring, coding::Shape shape, std::size_t columns);
  void run();

 private:
  coding::LagrangeCode code_;
  const field::Coefficients& decode_;
  Blocks blocks_, sums_;
};

// Uniform residues by rejection, `columns` elements.
class MaskTrial {
 public:
  MaskTrial(const field::Ring& ring, std::size_t columns);
  void run();
  double bytes() const;

 private:
  Prng random_;
  field::RingMatrix mask_;
};

// Writes `bytes` past the caches: no encoder of that much output can be faster.
class StoreTrial {
 public:
  explicit StoreTrial(std::size_t bytes);
  void run();
  double bytes() const { return static_cast<double>(memory_.size()); }

 private:
  std::vector<std::uint8_t> memory_;
};

}  // namespace fedvs::measuring
