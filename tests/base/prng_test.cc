#include "fedvs/base/prng.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "fedvs/base/digest.h"

namespace fedvs {
namespace {

constexpr std::uint32_t kMersenne31 = 0x7fffffff;

Key256 counting_key() {
  Key256 key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  return key;
}

std::vector<std::uint8_t> openssl_stream(const Key256& key, std::size_t size) {
  const std::array<std::uint8_t, 16> counter{};
  std::vector<std::uint8_t> zeros(size), stream(size);
  EVP_CIPHER_CTX* cipher = EVP_CIPHER_CTX_new();
  int written = 0;
  EXPECT_EQ(EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), nullptr, key.data(), counter.data()), 1);
  EXPECT_EQ(
      EVP_EncryptUpdate(cipher, stream.data(), &written, zeros.data(), static_cast<int>(size)), 1);
  EVP_CIPHER_CTX_free(cipher);
  return stream;
}

// Counts of a multinomial draw stay within 6 standard deviations (once in 10^8 per count); the key
// is fixed, so a test that passes once passes always.
template <class Counts>
void expect_even(const Counts& counts, std::size_t draws) {
  const double mean = static_cast<double>(draws) / static_cast<double>(counts.size());
  for (std::size_t value = 0; value < counts.size(); ++value) {
    EXPECT_NEAR(static_cast<double>(counts[value]), mean, 6 * std::sqrt(mean)) << value;
  }
}

TEST(Prng, IsAes256CtrFromCounterZeroHoweverItIsCutUp) {
  const auto expected = openssl_stream(counting_key(), 20'000);
  Prng prng(counting_key());
  std::vector<std::uint8_t> drawn(expected.size());
  for (std::size_t at = 0, step = 1; at < drawn.size(); at += step, step = 2 * step + 1) {
    step = std::min(step, drawn.size() - at);
    prng.fill(std::span(drawn).subspan(at, step));
  }
  EXPECT_EQ(drawn, expected);
}

TEST(Prng, MatchesThePublishedZeroBlock) {
  // AES-256 of the zero block under the key 00 01 .. 1f, from the AES known-answer tables.
  Prng prng(counting_key());
  std::array<std::uint8_t, 16> block;
  prng.fill(block);
  EXPECT_EQ(to_hex(block), to_hex(openssl_stream(counting_key(), 16)));
  EXPECT_EQ(to_hex(block), "f29000b62a499fd0a9f39a6add2e7780");
}

TEST(Prng, DrawsEveryResidueOfEveryBytePrimeEquallyOften) {
  for (std::uint32_t prime : {3u, 5u, 7u, 127u, 131u, 211u, 233u, 251u}) {
    Prng prng(counting_key());
    std::vector<std::uint8_t> drawn(400'000);
    prng.fill_uniform(drawn, prime);
    std::vector<std::size_t> counts(prime);
    for (std::uint8_t value : drawn) {
      ASSERT_LT(value, prime);
      ++counts[value];
    }
    expect_even(counts, drawn.size());
  }
}

TEST(Prng, KeepsExactlyTheBytesBelowThePrime) {
  // Given what the stream holds, and which of its bytes are below 211,
  const auto stream = openssl_stream(counting_key(), 4096);
  std::vector<std::uint8_t> expected;
  for (std::uint8_t byte : stream) {
    if (byte < 211) expected.push_back(byte);
  }
  // When as many are drawn as the first block yields, then they are those.
  Prng prng(counting_key());
  std::vector<std::uint8_t> drawn(3000);
  prng.fill_uniform(drawn, 211);
  expected.resize(drawn.size());
  EXPECT_EQ(drawn, expected);
}

TEST(Prng, DrawsWordsBelowTheMersennePrimeEvenly) {
  Prng prng(counting_key());
  std::vector<std::uint32_t> drawn(400'000);
  prng.fill_uniform(drawn, kMersenne31);
  std::array<std::size_t, 64> counts{};
  for (std::uint32_t value : drawn) {
    ASSERT_LT(value, kMersenne31);
    ++counts[value >> 25];
  }
  expect_even(counts, drawn.size());
}

TEST(Prng, UnitsLieInTheirIntervalEvenly) {
  Prng prng(counting_key());
  std::array<std::size_t, 50> counts{};
  for (int i = 0; i < 100'000; ++i) {
    const double unit = prng.next_unit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    ++counts[static_cast<std::size_t>(50 * unit)];
  }
  expect_even(counts, 100'000);
}

TEST(Prng, StreamsFromTheSystemDiffer) {
  EXPECT_NE(Prng::from_os().next_u64(), Prng::from_os().next_u64());
  OsSecretSource source;
  EXPECT_FALSE(source.reproducible());
  EXPECT_NE(source.stream(Purpose::kZeroMask, 1, 1).next_u64(),
            source.stream(Purpose::kZeroMask, 1, 1).next_u64());
}

}  // namespace
}  // namespace fedvs
