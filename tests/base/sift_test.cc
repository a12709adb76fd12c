#include "fedvs/base/sift.h"

#include <gtest/gtest.h>

#include <cstring>

#include "fedvs/base/prng.h"

namespace fedvs {
namespace {

std::vector<std::uint8_t> stream(std::size_t size, std::uint8_t seed) {
  std::vector<std::uint8_t> bytes(size);
  Prng(Key256{seed}).fill(bytes);
  return bytes;
}

// One by one: what fits is kept, until there is no room.
Draws sift_plainly(Draws draws, std::uint32_t bound) {
  for (; draws.bytes > 0 && draws.room > 0; ++draws.next, --draws.bytes) {
    if (*draws.next >= bound) continue;
    *draws.out++ = *draws.next;
    --draws.room;
  }
  return draws;
}

void expect_as_plainly(SiftBytes sift, std::uint32_t bound, std::size_t bytes, std::size_t room) {
  const auto drawn = stream(bytes + 1, static_cast<std::uint8_t>(bytes));
  constexpr std::uint8_t kUntouched = 255;
  std::vector<std::uint8_t> out(room + 1, kUntouched), expected = out;
  Draws draws{drawn.data() + 1, bytes, out.data(), room};
  const Draws left = sift_plainly({drawn.data() + 1, bytes, expected.data(), room}, bound);
  sift(draws, bound);
  ASSERT_EQ(draws.bytes, left.bytes) << bound << " " << bytes << " " << room;
  ASSERT_EQ(draws.room, left.room);
  ASSERT_EQ(draws.next, left.next);
  const std::size_t kept = room - left.room;
  ASSERT_TRUE(
      std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(kept), expected.begin()));
  ASSERT_EQ(out[room], kUntouched) << "past the room";
}

TEST(SiftBytes, KeepsTheSameDrawsInTheirOrderWhicheverKernel) {
  for (SiftBytes sift : available_sifts()) {
    for (std::uint32_t bound : {3u, 128u, 211u, 233u, 251u, 255u}) {
      for (std::size_t bytes = 0; bytes <= 200; bytes += 1 + bytes / 30) {
        for (std::size_t room = 0; room <= 200; ++room) {
          expect_as_plainly(sift, bound, bytes, room);
        }
      }
      expect_as_plainly(sift, bound, 8192, 8192);
      expect_as_plainly(sift, bound, 8192, 1000);
    }
  }
}

TEST(SiftWords, DropsOnlyTheWordThatIsThePrime) {
  // Given words of which some have 31 ones, under either top bit,
  std::vector<std::uint32_t> words(3000);
  const auto bytes = stream(4 * words.size(), 1);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  for (std::size_t at : {0, 1, 700, 1023, 1024, 2999}) words[at] = 0x7fffffff;
  for (std::size_t at : {5, 2000}) words[at] = 0xffffffff;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t word : words) {
    if ((word & 0x7fffffff) != 0x7fffffff) expected.push_back(word & 0x7fffffff);
  }
  // When they are sifted with room for all, or for fewer, then those are left out.
  for (std::size_t room : {1u, 699u, 1024u, 2500u, 3000u}) {
    std::vector<std::uint32_t> out(room);
    Draws draws{reinterpret_cast<const std::uint8_t*>(words.data()), 4 * words.size(),
                reinterpret_cast<std::uint8_t*>(out.data()), 4 * room};
    sift_words(draws);
    const std::size_t kept = std::min(room, expected.size());
    EXPECT_EQ(draws.room, 4 * (room - kept));
    EXPECT_TRUE(
        std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(kept), expected.begin()));
  }
}

}  // namespace
}  // namespace fedvs
