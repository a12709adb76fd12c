#include "fedvs/net/seal/keys.h"

#include <gtest/gtest.h>

#include "tests/net/seal/hex.h"

namespace fedvs::seal {
namespace {

TEST(KeyPair, PublicKeysAreThoseOfTheStandardsExample) {
  // RFC 7748, section 6.1: Alice and Bob.
  const auto alice =
      key_from_hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
  const auto bob = key_from_hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb");
  EXPECT_EQ(KeyPair::of(SecretKey::copy_of(alice)).public_key,
            key_from_hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"));
  EXPECT_EQ(KeyPair::of(SecretKey::copy_of(bob)).public_key,
            key_from_hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
}

TEST(KeyPair, EveryOneIsNew) {
  const KeyPair first = KeyPair::generate(), second = KeyPair::generate();
  EXPECT_NE(first.public_key, second.public_key);
  EXPECT_FALSE(first.secret_key == second.secret_key);
}

TEST(SecretKey, ComparesByItsBytes) {
  const SecretKey key = SecretKey::generate();
  EXPECT_TRUE(SecretKey::copy_of(key.bytes()) == key);
  std::array<std::uint8_t, kKeyBytes> other;
  std::copy(key.bytes().begin(), key.bytes().end(), other.begin());
  other.back() ^= 1;
  EXPECT_FALSE(SecretKey::copy_of(other) == key);
}

TEST(SecretKey, MovingItLeavesNothingBehind) {
  SecretKey key = SecretKey::generate();
  const auto* where = key.bytes().data();
  const SecretKey moved = std::move(key);
  EXPECT_EQ(moved.bytes().data(), where);  // not copied
}

}  // namespace
}  // namespace fedvs::seal
