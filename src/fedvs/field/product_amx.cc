// Byte planes on AMX: TDPBUUD adds 16 x 16 x 64 products u8 x u8 to 32-bit sums. Reads X up to the
// next multiple of 64 depths; what it finds there is multiplied by zero.
//   g++ 12: _tile_loadconfig declares 8 of the 64 bytes that it reads, and _tile_loadd none, hence
//   assembly.
#include "fedvs/field/avx512_reduce.h"
#include "fedvs/field/product_plane.h"
#include "fedvs/field/product_tiles.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kRows = 512;   // X of a block: 416 KB, in the second cache
constexpr std::size_t kDepth = 832;  // two panels: 26 KB, in the first cache

FEDVS_TARGET_VNNI FEDVS_INLINE void reduce_panel(const std::uint32_t* row, const ByteReduction& to,
                                                 __mmask16 kept, bool add, std::uint8_t* out) {
  __m512i sums = _mm512_load_si512(row);
  if (add) sums = _mm512_add_epi32(sums, loaded(out, kept));
  store(out, kept, reduced(sums, to));
}

struct alignas(64) TileConfig {  // the layout that LDTILECFG reads
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfig) == 64);

class AmxUnit {
 public:
  explicit AmxUnit(std::uint32_t prime) : to_(byte_reduction(prime)) {}

  void configure(std::size_t first, std::size_t second) {
    TileConfig config;
    const std::size_t unused = second == 0 ? 1 : second;  // a tile of no rows is not allowed
    const std::size_t rows[8] = {first, first, unused, unused, first, unused, kTileRows, kTileRows};
    for (int tile = 0; tile < 8; ++tile) {
      config.rows[tile] = static_cast<std::uint8_t>(rows[tile]);
      config.row_bytes[tile] = kTileBytes;
    }
    asm volatile("ldtilecfg %0" : : "m"(config));
  }
  void release() { asm volatile("tilerelease"); }

  template <int Tile>
  void zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(Tile));
  }
  template <int Tile>
  void load(const void* from, std::size_t stride) {
    asm volatile("tileloadd (%0,%1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile) : "memory");
  }
  template <int Tile>
  void stream(const void* from, std::size_t stride) {
    asm volatile("tileloaddt1 (%0,%1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile) : "memory");
  }
  template <int Sums, int X, int W>
  void multiply() {
    asm volatile("tdpbuud %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(X), "i"(W));
  }
  template <int Tile>
  void store(void* to, std::size_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1)" : : "r"(to), "r"(stride), "i"(Tile) : "memory");
  }

  void reduce(TileSums& sums, std::size_t most) const { reduce_tile_sums(sums, most, to_); }

 private:
  ByteReduction to_;
};

thread_local TileScratch own_scratch;

void multiply_block(const ByteProduct& product) {
  AmxUnit unit(product.prime);
  TileNest<AmxUnit>(product, unit, own_scratch).run();
}

}  // namespace

FEDVS_TARGET_VNNI void reduce_tile_sums(TileSums& sums, std::size_t most, const ByteReduction& to) {
  const ByteReduction constants = to;  // stores to out cannot change a copy
  const std::size_t end = sums.rows - sums.done < most ? sums.rows : sums.done + most;
  const std::size_t columns = sums.width < 2 * kPanelWidth ? sums.width : 2 * kPanelWidth;
  const __mmask16 last = columns_of_last_panel(columns);
  const bool two = columns > kPanelWidth, add = sums.add;
  for (std::size_t r = sums.done; r < end; ++r) {
    std::uint8_t* out = sums.out + r * sums.out_stride;
    reduce_panel(sums.sums[r], constants, two ? kAllColumns : last, add, out);
    if (two) reduce_panel(sums.sums[r] + kPanelWidth, constants, last, add, out + kPanelWidth);
  }
  sums.done = end;
}

constexpr BlockKernel<std::uint8_t> kBytesAmx{multiply_block, kRows, kDepth, 2 * kTileRows};

}  // namespace fedvs::field
