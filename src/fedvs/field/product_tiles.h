// The loop nest of the AMX kernel, over a unit of eight tile registers (16 rows of 64 bytes): the
// hardware's in product_amx.cc, a model of it in the tests, so that the nest is tested anywhere.
//   tiles 0-3  32-bit sums of two tiles of rows by two panels     (0 1 / 2 3)
//   tiles 4-5  X: 16 rows of 64 depths
//   tiles 6-7  W: 16 quads of a panel, already in tile order
// Two panels stay in the first cache while all rows of the block pass by. While a block of 32 x 32
// sums grows, the block before it is reduced and stored, a few rows per step.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fedvs/field/byte_reduction.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/product_plane.h"

namespace fedvs::field {

inline constexpr std::size_t kTileRows = 16, kTileBytes = 64;

struct TileSums {  // of 32 rows by 32 columns, and where they go
  alignas(64) std::uint32_t sums[2 * kTileRows][2 * kPanelWidth];
  std::uint8_t* out;
  std::size_t out_stride, width, rows, done;  // rows from `done` on are still to be stored
  bool add;
};

// Stores up to `most` more rows. AVX-512 VNNI; in product_amx.cc.
void reduce_tile_sums(TileSums& sums, std::size_t most, const ByteReduction& to);

struct TileScratch {  // reused: sums and shares are not left behind on the stack
  TileSums before;
  alignas(64) std::uint8_t w_end[2][kTileRows][kTileBytes];  // depths past a multiple of 64
};

// Unit: configure(rows of the first tile, of the second or 0), zero<Tile>(), load<Tile>(from,
// stride), stream<Tile>(from, stride), multiply<Sums, X, W>(), store<Tile>(to, stride in bytes),
// reduce(TileSums&, rows at most), release().
template <class Unit>
class TileNest {
 public:
  TileNest(const ByteProduct& product, Unit& unit, TileScratch& scratch)
      : product_(product), unit_(unit), before_(scratch.before), w_end_(scratch.w_end) {
    before_.rows = before_.done = 0;
  }

  void run() {
    for (std::size_t first = 0; first < product_.width; first += 2 * kPanelWidth) {
      if (product_.width - first > kPanelWidth) {
        multiply_panels<2>(first);
      } else {
        multiply_panels<1>(first);
      }
    }
    unit_.reduce(before_, before_.rows);
    unit_.release();
  }

 private:
  template <int Panels>
  void multiply_panels(std::size_t first_column) {
    const std::uint8_t* w = product_.w + first_column / kPanelWidth * product_.w_stride;
    copy_end<Panels>(w);
    for (std::size_t row = 0; row < product_.rows; row += 2 * kTileRows) {
      const std::size_t rows = product_.rows - row;
      const std::uint8_t* x = product_.x + row * product_.x_stride;
      if (rows > kTileRows) {
        configure(kTileRows, rows < 2 * kTileRows ? rows - kTileRows : kTileRows);
        multiply_block<2, Panels>(x, w);
      } else {
        configure(rows, 0);
        multiply_block<1, Panels>(x, w);
      }
      before_.out = product_.out + row * product_.out_stride + first_column;
      before_.out_stride = product_.out_stride;
      before_.width = product_.width - first_column;
      before_.rows = rows < 2 * kTileRows ? rows : 2 * kTileRows;
      before_.done = 0;
      before_.add = product_.add;
    }
  }

  void configure(std::size_t first, std::size_t second) {
    if (first == rows_[0] && second == rows_[1]) return;
    unit_.configure(rows_[0] = first, rows_[1] = second);
  }

  // The last quads of each panel, with zeros below: X may hold anything there.
  template <int Panels>
  void copy_end(const std::uint8_t* w) {
    const std::size_t left = product_.depth % kTileBytes, whole = product_.depth - left;
    for (std::size_t c = 0; left > 0 && c < Panels; ++c) {
      std::memset(w_end_[c], 0, sizeof w_end_[c]);
      std::memcpy(w_end_[c], w + c * product_.w_stride + whole * kPanelWidth, left * kPanelWidth);
    }
  }

  template <int RowTiles, int Panels>
  void multiply_block(const std::uint8_t* x, const std::uint8_t* w) {
    const std::size_t steps = (product_.depth + kTileBytes - 1) / kTileBytes;
    const std::size_t rows_per_step = (before_.rows + steps - 1) / steps;
    zero_sums<RowTiles, Panels>();
    std::size_t d = 0;
    for (; d + kTileBytes <= product_.depth; d += kTileBytes) {
      add_step<RowTiles, Panels>(x + d, w + d * kPanelWidth, product_.w_stride);
      unit_.reduce(before_, rows_per_step);
    }
    if (d < product_.depth) add_step<RowTiles, Panels>(x + d, w_end_[0][0], sizeof w_end_[0]);
    unit_.reduce(before_, before_.rows);
    store_sums<RowTiles, Panels>();
  }

  template <int RowTiles, int Panels>
  void zero_sums() {
    unit_.template zero<0>();
    if constexpr (Panels == 2) unit_.template zero<1>();
    if constexpr (RowTiles == 2) unit_.template zero<2>();
    if constexpr (RowTiles == 2 && Panels == 2) unit_.template zero<3>();
  }

  // X is used once per two panels: `stream` keeps it from driving W out of the first cache.
  template <int RowTiles, int Panels>
  void add_step(const std::uint8_t* x, const std::uint8_t* w, std::size_t w_stride) {
    unit_.template load<6>(w, kTileBytes);
    unit_.template stream<4>(x, product_.x_stride);
    unit_.template multiply<0, 4, 6>();
    if constexpr (Panels == 2) {
      unit_.template load<7>(w + w_stride, kTileBytes);
      unit_.template multiply<1, 4, 7>();
    }
    if constexpr (RowTiles == 2) {
      unit_.template stream<5>(x + kTileRows * product_.x_stride, product_.x_stride);
      unit_.template multiply<2, 5, 6>();
      if constexpr (Panels == 2) unit_.template multiply<3, 5, 7>();
    }
  }

  template <int RowTiles, int Panels>
  void store_sums() {
    constexpr std::size_t kStride = sizeof before_.sums[0];
    unit_.template store<0>(&before_.sums[0][0], kStride);
    if constexpr (Panels == 2) unit_.template store<1>(&before_.sums[0][kPanelWidth], kStride);
    if constexpr (RowTiles == 2) unit_.template store<2>(&before_.sums[kTileRows][0], kStride);
    if constexpr (RowTiles == 2 && Panels == 2) {
      unit_.template store<3>(&before_.sums[kTileRows][kPanelWidth], kStride);
    }
  }

  const ByteProduct& product_;
  Unit& unit_;
  TileSums& before_;
  std::uint8_t (&w_end_)[2][kTileRows][kTileBytes];
  std::size_t rows_[2] = {0, 0};  // as configured
};

}  // namespace fedvs::field
