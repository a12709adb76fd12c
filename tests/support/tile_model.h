// A model of the tile registers of AMX in plain C++: palette 1, TILELOADD, TILESTORED, TDPBUUD.
// What the hardware answers with a fault is a failed check here.
#pragma once
#include <cstdint>
#include <cstring>

#include "fedvs/base/check.h"
#include "fedvs/field/product_tiles.h"

namespace fedvs::testing {

class TileModel {
 public:
  explicit TileModel(std::uint32_t prime) : prime_(prime) {}

  void configure(std::size_t first, std::size_t second) {
    FEDVS_CHECK(first >= 1 && first <= 16 && second <= 16, "1 to 16 rows, or none");
    const std::size_t rows[8] = {first, first, second, second, first, second, 16, 16};
    for (int t = 0; t < 8; ++t) tiles_[t] = {.rows = rows[t], .bytes = {}};  // LDTILECFG zeroes all
  }
  void release() { configure_none(); }
  template <int T>
  void zero() {
    std::memset(used(T).bytes, 0, sizeof tiles_[T].bytes);
  }
  template <int T>
  void load(const void* from, std::size_t stride) {
    Tile& tile = used(T);
    std::memset(tile.bytes, 0, sizeof tile.bytes);
    for (std::size_t r = 0; r < tile.rows; ++r) {
      std::memcpy(tile.bytes[r], static_cast<const char*>(from) + r * stride, 64);
    }
  }
  template <int T>
  void stream(const void* from, std::size_t stride) {
    load<T>(from, stride);
  }
  template <int T>
  void store(void* to, std::size_t stride) {
    for (std::size_t r = 0; r < used(T).rows; ++r) {
      std::memcpy(static_cast<char*>(to) + r * stride, tiles_[T].bytes[r], 64);
    }
  }
  template <int S, int X, int W>
  void multiply() {
    FEDVS_CHECK(used(S).rows == used(X).rows && used(W).rows == 16, "tiles that fit");
    for (std::size_t m = 0; m < tiles_[S].rows; ++m) {
      std::uint32_t sums[16];
      std::memcpy(sums, tiles_[S].bytes[m], 64);
      for (std::size_t k = 0; k < 16; ++k) {
        for (std::size_t n = 0; n < 64; ++n) {
          sums[n / 4] += std::uint32_t{tiles_[X].bytes[m][4 * k + n % 4]} * tiles_[W].bytes[k][n];
        }
      }
      std::memcpy(tiles_[S].bytes[m], sums, 64);
    }
  }
  void reduce(field::TileSums& sums, std::size_t most) {
    for (; sums.done < sums.rows && most > 0; ++sums.done, --most) {
      for (std::size_t j = 0; j < sums.width && j < 32; ++j) {
        std::uint8_t& out = sums.out[sums.done * sums.out_stride + j];
        const std::uint32_t sum = sums.sums[sums.done][j] + (sums.add ? out : 0u);
        out = static_cast<std::uint8_t>(sum % prime_);
      }
    }
  }

 private:
  struct Tile {
    std::size_t rows = 0;
    std::uint8_t bytes[16][64] = {};
  };
  Tile& used(int t) {
    FEDVS_CHECK(tiles_[t].rows > 0, "a tile that is configured");
    return tiles_[t];
  }
  void configure_none() {
    for (Tile& tile : tiles_) tile = {};
  }
  std::uint32_t prime_;
  Tile tiles_[8];
};

}  // namespace fedvs::testing
