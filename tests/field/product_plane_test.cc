// Every kernel, on raw planes, against the definition. A kernel that the machine lacks is skipped.
#include "fedvs/field/product_plane.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/plane_data.h"
#include "tests/support/rings.h"

namespace fedvs::field {
namespace {

using fedvs::testing::PlaneData;
using fedvs::testing::seeded;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
constexpr std::size_t kStep = 9;  // these builds are slow; the others try every shape
#else
constexpr std::size_t kStep = 1;
#endif
constexpr std::size_t kMost = 70;

template <class Word>
std::vector<std::uint32_t> primes() {
  if constexpr (sizeof(Word) == 4) return {0x7fffffff};
  return {251, 241, 239, 233, 229, 227, 223, 211, 131, 127, 5, 3};
}

class PlaneKernel : public ::testing::TestWithParam<Kernel> {
 protected:
  void SetUp() override {
    const auto available = available_kernels();
    if (std::find(available.begin(), available.end(), GetParam()) == available.end()) {
      GTEST_SKIP() << "this machine has no " << name(GetParam());
    }
  }
  template <class Word>
  void run(PlaneData<Word>& data) const {
    multiply_plane(block_kernel<Word>(GetParam()), data.product);
  }
  template <class Word>
  void expect_definition(PlaneData<Word>& data) const {
    expect_definition(data, GetParam());
  }
  template <class Word>
  static void expect_definition(PlaneData<Word>& data, Kernel kernel) {
    multiply_plane(block_kernel<Word>(kernel), data.product);
    for (std::size_t i = 0; i < data.product.rows; ++i) {
      for (std::size_t j = 0; j < data.product.width; ++j) {
        ASSERT_EQ(data.out(i, j), data.expected(i, j))
            << data.product.rows << " x " << data.product.depth << " x " << data.product.width
            << " mod " << data.product.prime << " at " << i << ", " << j;
      }
    }
  }
  template <class Word>
  void expect_all_shapes();
  template <class Word>
  void expect_exact_next_to_the_prime();
  template <class Word>
  void expect_unaligned();
};

// The product of a rows x width corner is a corner of the product: one reference per depth.
template <class Word>
void PlaneKernel::expect_all_shapes() {
  const std::size_t step = GetParam() == Kernel::kPortable ? 5 : kStep;  // it is the reference
  Prng random = seeded(1);
  std::vector<Word> row(PlaneData<Word>(1, 1, kMost, 3).out_stride());
  for (std::size_t inputs = 1; inputs <= kMost; ++inputs) {
    const std::uint32_t prime = primes<Word>()[inputs % primes<Word>().size()];
    PlaneData<Word> data(kMost, inputs, kMost, prime), whole(kMost, inputs, kMost, prime);
    data.fill_uniform(random);
    data.clear_x_from(inputs);
    whole.product.x = data.product.x;
    whole.product.w = data.product.w;
    expect_definition(whole, Kernel::kPortable);
    for (data.product.rows = 1; data.product.rows <= kMost; data.product.rows += step) {
      for (data.product.width = 1; data.product.width <= kMost; data.product.width += step) {
        data.fill_out_rows(data.product.rows);
        run(data);
        for (std::size_t i = 0; i < data.product.rows; ++i) {
          std::fill(row.begin(), row.end(), PlaneData<Word>::kNoise);
          std::copy_n(whole.out_row(i), data.product.width, row.begin());
          ASSERT_EQ(std::memcmp(data.out_row(i), row.data(), row.size() * sizeof(Word)), 0)
              << data.product.rows << " x " << inputs << " x " << data.product.width << " mod "
              << prime << ", row " << i;
        }
      }
    }
  }
}

TEST_P(PlaneKernel, AgreesWithThePortableOneOnAllShapesUpTo70OfBytes) {
  expect_all_shapes<std::uint8_t>();
}
TEST_P(PlaneKernel, AgreesWithThePortableOneOnAllShapesUpTo70OfM31) {
  expect_all_shapes<std::uint32_t>();
}

template <class Word>
void PlaneKernel::expect_exact_next_to_the_prime() {
  // 70,000 products of 250^2 exceed 32 bits; blocks of the depth end at 256, 512, 832, 1024 and
  // 2048.
  for (std::uint32_t prime : primes<Word>()) {
    for (std::size_t depth :
         {4u, 256u, 260u, 512u, 832u, 836u, 1024u, 1028u, 2048u, 2052u, 34'360u, 70'000u}) {
      PlaneData<Word> data(3, depth, 18, prime);
      data.fill_largest();
      run(data);
      const auto expected = static_cast<Word>(depth % prime);  // (p - 1)^2 is 1
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 18; ++j) {
          ASSERT_EQ(data.out(i, j), expected) << depth << " mod " << prime;
        }
      }
    }
  }
}

TEST_P(PlaneKernel, IsExactNextToThePrimeAtEveryDepth) {
  expect_exact_next_to_the_prime<std::uint8_t>();
  expect_exact_next_to_the_prime<std::uint32_t>();
}

TEST_P(PlaneKernel, IsExactWhereBalancedResiduesAreLargest) {
  // Kernels that take x or w as a signed number meet their largest products around p / 2.
  constexpr std::uint32_t kPrime = 0x7fffffff, kHalf = 1u << 30;
  for (std::uint64_t x : {kHalf - 1, kHalf, kPrime - 1}) {
    for (std::uint64_t w : {0u, 1u, kHalf - 1, kHalf, kPrime - 1}) {
      for (std::size_t depth : {8u, 12u, 516u}) {
        PlaneData<std::uint32_t> data(1, depth, 2, kPrime);
        data.fill(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(w));
        run(data);
        ASSERT_EQ(data.out(0, 0), x * w % kPrime * depth % kPrime) << x << " " << w << " " << depth;
        ASSERT_EQ(data.out(0, 1), data.out(0, 0));
      }
    }
  }
}

TEST_P(PlaneKernel, AgreesWithTheDefinitionOnOddSizesPastOneBlock) {
  Prng random = seeded(2);
  constexpr std::size_t kShapes[][3] = {
      {1, 4, 1}, {13, 100, 37}, {25, 2052, 48}, {11, 3000, 33}, {2, 5000, 129}};
  for (const auto& [rows, depth, width] : kShapes) {
    PlaneData<std::uint8_t> bytes(rows, depth, width, 251);
    bytes.fill_uniform(random);
    expect_definition(bytes);
    PlaneData<std::uint32_t> words(rows, depth, width, 0x7fffffff);
    words.fill_uniform(random);
    expect_definition(words);
  }
}

template <class Word>
void PlaneKernel::expect_unaligned() {
  Prng random = seeded(3);
  for (std::size_t offset = 1; offset < 64 / sizeof(Word); ++offset) {
    PlaneData<Word> data(14, 132, 35, primes<Word>()[0], offset);
    data.fill_uniform(random);
    expect_definition(data);
  }
}

TEST_P(PlaneKernel, TakesBuffersAtAnyAddress) {
  expect_unaligned<std::uint8_t>();
  expect_unaligned<std::uint32_t>();
}

TEST_P(PlaneKernel, TakesOneBufferAsBothXAndW) {
  Prng random = seeded(4);
  PlaneData<std::uint8_t> bytes(16, 64, 16, 241);
  bytes.fill_uniform(random);
  bytes.product.x = bytes.product.w;
  bytes.product.x_stride = 64;
  run(bytes);
  for (std::size_t i = 0; i < 256; ++i) {
    std::uint64_t sum = 0;
    for (std::size_t d = 0; d < 64; ++d) {
      sum += bytes.product.w[i / 16 * 64 + d] * bytes.w(d, i % 16);
    }
    ASSERT_EQ(bytes.out(i / 16, i % 16), sum % 241);
  }
}

TEST_P(PlaneKernel, AddsToWhatOutHoldsWhenAsked) {
  Prng random = seeded(5);
  PlaneData<std::uint8_t> data(13, 68, 35, 239);
  data.fill_uniform(random);
  data.fill_out(238);
  data.product.add = true;
  run(data);
  for (std::size_t i = 0; i < 13; ++i) {
    for (std::size_t j = 0; j < 35; ++j) {
      ASSERT_EQ(data.out(i, j), (data.expected(i, j) + 238u) % 239u);
    }
  }
}

TEST_P(PlaneKernel, OfNoDepthIsZero) {
  PlaneData<std::uint8_t> bytes(3, 0, 5, 251);
  run(bytes);
  PlaneData<std::uint32_t> words(3, 0, 5, 0x7fffffff);
  run(words);
  for (std::size_t i = 0; i < 15; ++i) {
    EXPECT_EQ(bytes.out(i / 5, i % 5), 0);
    EXPECT_EQ(words.out(i / 5, i % 5), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, PlaneKernel,
                         ::testing::Values(Kernel::kPortable, Kernel::kAvx2, Kernel::kVnni,
                                           Kernel::kAmx),
                         [](const auto& kernel) { return std::string(name(kernel.param)); });

}  // namespace
}  // namespace fedvs::field
