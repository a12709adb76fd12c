// One plane of a product with its buffers, for the tests of the kernels: X and W hold residues, out
// holds noise, and each starts `offset` words past a cache line.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "fedvs/base/prng.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/product_plane.h"

namespace fedvs::testing {

template <class Word>
class PlaneData {
 public:
  static constexpr Word kNoise = 0xee;
  static constexpr bool kBytes = sizeof(Word) == 1;

  PlaneData(std::size_t rows, std::size_t inputs, std::size_t width, std::uint32_t prime,
            std::size_t offset = 0)
      : depth_(field::padded_depth(inputs)),
        x_(rows, depth_ + 64, offset),
        w_(field::panel_rows(width), field::panel_cols(inputs), offset),
        out_(rows, width + 64, offset) {
    product = {x_.begin(), x_.stride, rows,         w_.begin(),  w_.stride, depth_,
               width,      prime,     out_.begin(), out_.stride, false};
    out_.fill(kNoise);
  }

  void fill_uniform(Prng& random) {
    for (std::size_t r = 0; r < product.rows; ++r) {
      random.fill_uniform(std::span(x_.row(r), depth_), product.prime);
    }
    random.fill_uniform(std::span(w_.begin(), w_.words.size() / 2), product.prime);
  }
  void fill(std::uint32_t x, std::uint32_t w) {
    x_.fill(static_cast<Word>(x));
    w_.fill(static_cast<Word>(w));
  }
  void fill_largest() { fill(product.prime - 1, product.prime - 1); }
  void clear_x_from(std::size_t d) {  // as the padding of a RingMatrix is
    for (std::size_t r = 0; r < product.rows; ++r) {
      std::fill(x_.row(r) + d, x_.row(r) + x_.stride, Word{0});
    }
  }
  void fill_out(Word value) { out_.fill(value); }
  void fill_out_rows(std::size_t rows) { std::fill(out_.row(0), out_.row(rows), kNoise); }

  std::uint64_t x(std::size_t i, std::size_t d) const { return product.x[i * x_.stride + d]; }
  std::uint64_t w(std::size_t d, std::size_t j) const {
    const std::size_t run = kBytes ? 4 : 1;
    const std::size_t at = (d / run * 16 + j % 16) * run + d % run;
    return product.w[j / 16 * w_.stride + at];
  }
  Word out(std::size_t i, std::size_t j) const { return product.out[i * out_.stride + j]; }
  Word* out_row(std::size_t i) { return out_.row(i); }
  std::size_t out_stride() const { return out_.stride; }

  // The definition, one product and one division at a time.
  Word expected(std::size_t i, std::size_t j) const {
    std::uint64_t sum = 0;
    for (std::size_t d = 0; d < depth_; ++d) sum = (sum + x(i, d) * w(d, j)) % product.prime;
    return static_cast<Word>(sum);
  }

  field::PlaneProduct<Word> product;

 private:
  struct Buffer {  // twice as large as needed, so that it can start where we want
    Buffer(std::size_t rows, std::size_t cols, std::size_t offset)
        : stride(cols), words(2 * (rows * cols + 256)) {
      const auto address = reinterpret_cast<std::uintptr_t>(words.data());
      first = (64 - address % 64) % 64 / sizeof(Word) + offset;
    }
    Word* begin() { return words.data() + first; }
    Word* row(std::size_t r) { return begin() + r * stride; }
    void fill(Word value) { std::fill(words.begin(), words.end(), value); }
    std::size_t stride, first;
    std::vector<Word> words;
  };
  std::size_t depth_;
  Buffer x_, w_, out_;
};

}  // namespace fedvs::testing
