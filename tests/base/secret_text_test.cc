#include "fedvs/base/secret_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <new>

namespace fedvs {
namespace {

const std::string kShort = "short", kLong(1000, 'x');

// What is left in the place of an object after it has gone.
template <class Use>
std::string left_by(const Use& use) {
  alignas(SecretText) char place[sizeof(SecretText)];
  auto* const text = new (place) SecretText;
  use(*text);
  text->~SecretText();
  return {place, sizeof place};
}

TEST(SecretText, HoldsWhatItWasGiven) {
  for (const auto& secret : {kShort, kLong}) {
    EXPECT_EQ(SecretText(std::string_view(secret)).view(), secret);
    std::string given = secret;
    const auto taken = SecretText::take(std::move(given));
    EXPECT_EQ(taken.view(), secret);
    EXPECT_FALSE(taken.empty());
  }
  EXPECT_TRUE(SecretText().empty());
}

TEST(SecretText, TakesTheMemoryOfALongOneAndWipesWhatAShortOneLeaves) {
  std::string long_one = kLong;
  const char* const at = long_one.data();
  EXPECT_EQ(SecretText::take(std::move(long_one)).view().data(), at);
  std::string short_one = kShort;
  const char* const inside = short_one.data();  // in the string itself
  const auto taken = SecretText::take(std::move(short_one));
  EXPECT_EQ(std::memcmp(inside, "\0\0\0\0\0", 5), 0);
}

TEST(SecretText, AShortOneLeavesNothingWhereItWas) {
  EXPECT_EQ(
      left_by([](SecretText& text) { text = SecretText(std::string_view(kShort)); }).find(kShort),
      std::string::npos);
  SecretText kept;
  EXPECT_EQ(left_by([&](SecretText& text) {
              text = SecretText(std::string_view(kShort));
              kept = std::move(text);
            }).find(kShort),
            std::string::npos);
  EXPECT_EQ(kept.view(), kShort);
}

TEST(SecretText, WipingZeroesAllOfItsMemoryInPlace) {
  std::string text = kLong;
  text.resize(10);  // the rest is still there
  const char* const at = text.data();
  const std::size_t held = text.capacity();
  wipe_text(text);
  EXPECT_TRUE(text.empty());
  ASSERT_EQ(text.data(), at);
  EXPECT_EQ(std::string(at, held), std::string(held, '\0'));
}

}  // namespace
}  // namespace fedvs
