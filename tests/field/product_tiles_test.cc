// The loop nest of the AMX kernel on a model of the tiles, wherever the tests run. On a machine
// with AMX, product_plane_test runs it on the hardware.
#include "fedvs/field/product_tiles.h"

#include <gtest/gtest.h>

#include "tests/support/plane_data.h"
#include "tests/support/rings.h"
#include "tests/support/tile_model.h"

namespace fedvs::field {
namespace {

using fedvs::testing::PlaneData;
using fedvs::testing::seeded;
using fedvs::testing::TileModel;

void multiply_on_the_model(const ByteProduct& product) {
  thread_local TileScratch scratch;
  TileModel unit(product.prime);
  TileNest<TileModel>(product, unit, scratch).run();
}

// The model's tiles, and the rest as the hardware's kernel has it.
class ModelReducedByAvx512 : public TileModel {
 public:
  explicit ModelReducedByAvx512(std::uint32_t prime)
      : TileModel(prime), reduction_(byte_reduction(prime)) {}
  void reduce(TileSums& sums, std::size_t most) { reduce_tile_sums(sums, most, reduction_); }

 private:
  ByteReduction reduction_;
};

void multiply_with_avx512(const ByteProduct& product) {
  thread_local TileScratch scratch;
  ModelReducedByAvx512 unit(product.prime);
  TileNest<ModelReducedByAvx512>(product, unit, scratch).run();
}

// The blocks of the real kernel, and smaller ones so that small products have several.
const BlockKernel<std::uint8_t> kOnTheModel{multiply_on_the_model, kBytesAmx.rows, kBytesAmx.depth,
                                            32};
constexpr BlockKernel<std::uint8_t> kSmallBlocks{multiply_on_the_model, 48, 64, 32};

void expect_portable(const BlockKernel<std::uint8_t>& kernel, std::size_t rows, std::size_t depth,
                     std::size_t width, Prng& random) {
  PlaneData<std::uint8_t> data(rows, depth, width, 251), same(rows, depth, width, 251);
  data.fill_uniform(random);
  same.product.x = data.product.x;
  same.product.w = data.product.w;
  multiply_plane(kernel, data.product);
  multiply_plane(kBytesPortable, same.product);
  for (std::size_t i = 0; i < rows; ++i) {
    ASSERT_TRUE(std::equal(data.out_row(i), data.out_row(i) + data.out_stride(), same.out_row(i)))
        << rows << " x " << depth << " x " << width << ", row " << i;
  }
}

TEST(TileNest, AgreesWithThePortableKernelOnShapesAroundTheTiles) {
  Prng random = seeded(1);
  for (std::size_t rows : {1u, 2u, 15u, 16u, 17u, 31u, 32u, 33u, 48u, 63u, 64u, 70u}) {
    for (std::size_t depth : {4u, 60u, 64u, 68u, 128u, 132u}) {
      for (std::size_t width : {1u, 15u, 16u, 17u, 31u, 32u, 33u, 47u, 48u, 64u, 70u}) {
        expect_portable(kOnTheModel, rows, depth, width, random);
      }
    }
  }
}

TEST(TileNest, AgreesWithThePortableKernelOverManyBlocks) {
  Prng random = seeded(2);
  expect_portable(kOnTheModel, 530, 900, 40, random);
  expect_portable(kOnTheModel, 33, 1700, 65, random);
  expect_portable(kSmallBlocks, 100, 500, 70, random);
}

TEST(TileNest, AgreesWithThePortableKernelWhenAvx512Reduces) {
  const auto available = available_kernels();
  if (std::find(available.begin(), available.end(), Kernel::kVnni) == available.end()) {
    GTEST_SKIP() << "this machine has no vnni";
  }
  constexpr BlockKernel<std::uint8_t> kReduced{multiply_with_avx512, 48, 64, 32};
  Prng random = seeded(3);
  for (std::size_t width = 1; width <= 70; ++width) {
    expect_portable(kReduced, 71 - width, 4 * width, width, random);
  }
}

TEST(TileNest, IsExactNextToThePrimeAtDepth70000) {
  PlaneData<std::uint8_t> data(3, 70'000, 18, 251);
  data.fill_largest();
  multiply_plane(kOnTheModel, data.product);
  for (std::size_t i = 0; i < 3 * 18; ++i) ASSERT_EQ(data.out(i / 18, i % 18), 70'000 % 251);
}

TEST(TileNest, TakesWhateverXHoldsPastTheDepth) {
  // Given X with the largest bytes beyond 20 depths, where a tile of 64 reads them.
  PlaneData<std::uint8_t> data(3, 20, 5, 251);
  data.fill_largest();
  multiply_plane(kOnTheModel, data.product);
  for (std::size_t i = 0; i < 15; ++i) ASSERT_EQ(data.out(i / 5, i % 5), 20);
}

}  // namespace
}  // namespace fedvs::field
