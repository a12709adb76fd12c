#include "fedvs/net/seal/signing.h"

#include <gtest/gtest.h>

namespace fedvs::seal {
namespace {

TEST(SigningKey, SignsAsRfc8032Does) {
  // Test 2 of section 7.1: one byte.
  const auto seed = SecretKey::copy_of(
      std::array<std::uint8_t, 32>{0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3,
                                   0x46, 0xec, 0x11, 0x4e, 0x0f, 0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab,
                                   0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8, 0xa6, 0xfb});
  const auto key = SigningKey::of(SecretKey::copy_of(seed.bytes()));
  const Signature signature = key.sign("\x72");
  EXPECT_EQ(signature[0], 0x92);
  EXPECT_EQ(signature[1], 0xa0);
  EXPECT_EQ(signature[62], 0x0c);
  EXPECT_EQ(signature[63], 0x00);
  EXPECT_EQ(key.public_key[0], 0x3d);
  EXPECT_EQ(key.public_key[31], 0x0c);
  EXPECT_TRUE(verify(key.public_key, "\x72", signature));
}

TEST(SigningKey, NothingElseVerifies) {
  const auto key = SigningKey::generate(), other = SigningKey::generate();
  Signature signature = key.sign("plan 7");
  EXPECT_TRUE(verify(key.public_key, "plan 7", signature));
  EXPECT_FALSE(verify(key.public_key, "plan 8", signature));
  EXPECT_FALSE(verify(other.public_key, "plan 7", signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    signature[i] ^= 1;
    EXPECT_FALSE(verify(key.public_key, "plan 7", signature)) << i;
    signature[i] ^= 1;
  }
}

}  // namespace
}  // namespace fedvs::seal
