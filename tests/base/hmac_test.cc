#include "fedvs/base/hmac.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fedvs {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// RFC 4231. A key shorter than a block counts as one with zeros after it.
TEST(Hmac, MatchesThePublishedTestCaseOne) {
  Key256 key{};
  std::fill_n(key.begin(), 20, 0x0b);
  EXPECT_EQ(to_hex(hmac_sha256(key, bytes_of("Hi There"))),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
}

TEST(Hmac, MatchesThePublishedTestCaseTwo) {
  Key256 key{};
  std::ranges::copy(std::string_view("Jefe"), key.begin());
  EXPECT_EQ(to_hex(hmac_sha256(key, bytes_of("what do ya want for nothing?"))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Hmac, MatchesThePublishedTestCaseFour) {
  Key256 key{};
  for (std::uint8_t i = 0; i < 25; ++i) key[i] = static_cast<std::uint8_t>(i + 1);
  const std::string message(50, '\xcd');
  EXPECT_EQ(to_hex(hmac_sha256(key, bytes_of(message))),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
}

}  // namespace
}  // namespace fedvs
