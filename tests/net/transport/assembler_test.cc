#include "fedvs/net/transport/assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fedvs/base/public_random.h"
#include "fedvs/net/transport/outbox.h"

namespace fedvs::transport {
namespace {

using ::testing::HasSubstr;

class AssemblerTest : public ::testing::Test {
 protected:
  // The first chunk of a parcel of 10 bytes from client 2 to the server.
  static ChunkHead head() {
    return {.lane = 1, .parcel = 1, .from = 2, .to = kServer, .total = 10, .offset = 0};
  }
  void expect_refused(const ChunkHead& chunk, std::string payload, const std::string& reason) {
    const auto result = assembler_.add(chunk, std::move(payload));
    ASSERT_FALSE(result) << reason;
    EXPECT_EQ(result.error().code, ErrorCode::kRefused);
    EXPECT_THAT(result.error().message, HasSubstr(reason));
  }
  void begin() { ASSERT_FALSE(assembler_.add(head(), "abcd").value().has_value()); }

  std::atomic<std::size_t> largest_{1000};
  Assembler assembler_{largest_};
};

TEST_F(AssemblerTest, JoinsChunksInOrder) {
  begin();
  auto second = head();
  second.offset = 4;
  const auto parcel = assembler_.add(second, "efghij").value();
  ASSERT_TRUE(parcel.has_value());
  EXPECT_EQ(*parcel->bytes, "abcdefghij");
  EXPECT_EQ(parcel->from, 2);
  EXPECT_EQ(parcel->to, kServer);
  EXPECT_EQ(parcel->lane, Lane::kUpload);
}

TEST_F(AssemblerTest, GivesAnEmptyParcelFromOneEmptyChunk) {
  auto empty = head();
  empty.total = 0;
  EXPECT_EQ(*assembler_.add(empty, "").value()->bytes, "");
}

TEST_F(AssemblerTest, RefusesALaneThatDoesNotExist) {
  auto chunk = head();
  chunk.lane = kLanes;
  expect_refused(chunk, "abcd", "only 4 lanes");
}

TEST_F(AssemblerTest, RefusesAChunkBeyondItsLargestSize) {
  auto chunk = head();
  largest_ = 10 * kChunkBytes;
  chunk.total = 2 * kChunkBytes;
  expect_refused(chunk, std::string(kChunkBytes + 1, 'x'), "a chunk of 524289 bytes");
}

TEST_F(AssemblerTest, RefusesAParcelLargerThanAcceptedBeforeTakingMemoryForIt) {
  auto chunk = head();
  chunk.total = 1001;
  expect_refused(chunk, "abcd", "1001 bytes, at most 1000 are accepted");
  chunk.total = std::numeric_limits<std::uint64_t>::max();
  expect_refused(chunk, "abcd", "at most 1000 are accepted");
}

TEST_F(AssemblerTest, AcceptsLargerParcelsOnceTheyAreAllowed) {
  auto chunk = head();
  chunk.total = 1001;
  largest_ = 1001;
  EXPECT_TRUE(assembler_.add(chunk, "abcd"));
}

TEST_F(AssemblerTest, RefusesAParcelThatDoesNotBeginAtItsBeginning) {
  auto chunk = head();
  chunk.offset = 4;
  expect_refused(chunk, "abcd", "begins at offset 4");
}

TEST_F(AssemblerTest, RefusesAGapAndARepetition) {
  for (const std::uint64_t offset : {5, 3, 0}) {
    Assembler fresh(largest_);
    ASSERT_TRUE(fresh.add(head(), "abcd"));
    auto second = head();
    second.offset = offset;
    const auto result = fresh.add(second, "efg");
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr("after 4 bytes"));
  }
}

TEST_F(AssemblerTest, RefusesMoreBytesThanWereClaimed) {
  expect_refused(head(), "0123456789a", "11 bytes of only 10");
  begin();
  auto second = head();
  second.offset = 4;
  expect_refused(second, "efghijk", "7 bytes at offset 4 of only 10");
}

TEST_F(AssemblerTest, RefusesEmptyChunksOfAParcelThatIsNotEmpty) {
  expect_refused(head(), "", "an empty chunk");
  begin();
  auto second = head();
  second.offset = 4;
  expect_refused(second, "", "an empty chunk");
}

TEST_F(AssemblerTest, RefusesASecondParcelOnALaneBeforeTheFirstIsComplete) {
  begin();
  auto other = head();
  other.parcel = 2;
  expect_refused(other, "abcd", "while parcel 1 from 2 to -1 of 10 bytes is not complete");
}

TEST_F(AssemblerTest, RefusesAChunkThatChangesSenderRecipientOrSize) {
  for (auto change : {+[](ChunkHead& h) { h.from = 3; }, +[](ChunkHead& h) { h.to = 3; },
                      +[](ChunkHead& h) { h.total = 11; }}) {
    Assembler fresh(largest_);
    ASSERT_TRUE(fresh.add(head(), "abcd"));
    auto second = head();
    second.offset = 4;
    change(second);
    EXPECT_FALSE(fresh.add(second, "efghij"));
  }
}

TEST_F(AssemblerTest, RefusesParcelNumbersThatSkipOrRepeat) {
  auto skipping = head();
  skipping.parcel = 2;
  expect_refused(skipping, "0123456789", "parcel 1 must come next");
  ASSERT_TRUE(assembler_.add(head(), "0123456789").value().has_value());
  expect_refused(head(), "0123456789", "parcel 2 must come next");
}

TEST_F(AssemblerTest, RefusesPartiesThatCannotBe) {
  auto chunk = head();
  chunk.from = -2;
  expect_refused(chunk, "abcd", "no such parties");
  chunk = head();
  chunk.to = std::numeric_limits<int>::min();
  expect_refused(chunk, "abcd", "no such parties");
}

TEST_F(AssemblerTest, KeepsLanesApart) {
  begin();
  auto other = head();
  other.lane = 3;
  EXPECT_EQ(*assembler_.add(other, "0123456789").value()->bytes, "0123456789");
}

// Whatever comes, it never holds more than one parcel per lane, and what it gives out was sent.
TEST_F(AssemblerTest, SurvivesRandomChunks) {
  PublicRandom random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    Assembler fresh(largest_);
    for (int i = 0; i < 20; ++i) {
      const ChunkHead chunk{.lane = static_cast<std::uint32_t>(random.below(5)),
                            .parcel = 1 + random.below(3),
                            .from = static_cast<int>(random.below(3)) - 1,
                            .to = kServer,
                            .total = random.below(6),
                            .offset = random.below(4)};
      const auto result = fresh.add(chunk, std::string(random.below(4), 'x'));
      if (!result) break;
      if (result->has_value()) {
        EXPECT_EQ((*result)->bytes->size(), chunk.total);
      }
    }
  }
}

// The other half of the pair: what an outbox cuts, an assembler joins.
TEST_F(AssemblerTest, JoinsWhatAnOutboxCuts) {
  largest_ = 10 * kChunkBytes;
  Outbox outbox(std::size_t{1} << 30);
  std::vector<std::string> sent;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kChunkBytes, kChunkBytes + 1,
                                 3 * kChunkBytes, 5 * kChunkBytes - 7}) {
    sent.push_back(std::string(size, static_cast<char>('a' + sent.size())));
    outbox.push({.from = 1, .to = 2, .lane = Lane::kBulk, .bytes = share(sent.back())});
  }
  std::vector<std::string> received;
  while (auto chunk = outbox.next()) {
    auto parcel =
        assembler_.add(chunk->head, chunk->bytes->substr(chunk->head.offset, chunk->size)).value();
    if (parcel) received.push_back(*parcel->bytes);
  }
  EXPECT_EQ(received, sent);
  EXPECT_EQ(outbox.bytes(), 0u);
}

}  // namespace
}  // namespace fedvs::transport
