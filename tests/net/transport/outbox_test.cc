#include "fedvs/net/transport/outbox.h"

#include <gtest/gtest.h>

#include <vector>

namespace fedvs::transport {
namespace {

Parcel parcel(Lane lane, std::size_t size) {
  return {.from = kServer, .to = 0, .lane = lane, .bytes = share(std::string(size, 'x'))};
}

TEST(Outbox, LetsAnUrgentParcelBetweenTheChunksOfALargeOne) {
  Outbox outbox(100 * kChunkBytes);
  outbox.push(parcel(Lane::kBulk, 3 * kChunkBytes));
  EXPECT_EQ(outbox.next()->head.offset, 0u);
  outbox.push(parcel(Lane::kShare, 5));
  outbox.push(parcel(Lane::kControl, 5));
  outbox.push(parcel(Lane::kUpload, 5));
  for (const Lane lane : {Lane::kControl, Lane::kUpload, Lane::kShare}) {
    EXPECT_EQ(outbox.next()->head.lane, static_cast<std::uint32_t>(lane));
  }
  const auto rest = outbox.next();
  EXPECT_EQ(rest->head.lane, static_cast<std::uint32_t>(Lane::kBulk));
  EXPECT_EQ(rest->head.offset, kChunkBytes);
}

TEST(Outbox, ChunksShareTheParcelsBytes) {
  Outbox outbox(100 * kChunkBytes);
  const auto large = parcel(Lane::kBulk, 2 * kChunkBytes);
  outbox.push(large);
  EXPECT_EQ(outbox.next()->bytes.get(), large.bytes.get());
  EXPECT_EQ(outbox.next()->bytes.get(), large.bytes.get());
  EXPECT_FALSE(outbox.next());
}

TEST(Outbox, CountsWhatWaitsAndForgetsWhatIsTaken) {
  Outbox outbox(4 * kChunkBytes);
  outbox.push(parcel(Lane::kBulk, 2 * kChunkBytes));
  EXPECT_GE(outbox.bytes(), 2 * kChunkBytes);
  EXPECT_FALSE(outbox.has_room(2 * kChunkBytes));
  outbox.next();
  EXPECT_TRUE(outbox.has_room(2 * kChunkBytes));
  outbox.next();
  EXPECT_TRUE(outbox.empty());
}

TEST(Outbox, TakesAParcelLargerThanItselfOnlyWhenEmpty) {
  Outbox outbox(100);
  EXPECT_TRUE(outbox.has_room(1000));
  outbox.push(parcel(Lane::kBulk, 1));
  EXPECT_FALSE(outbox.has_room(1000));
}

TEST(Outbox, BoundsEmptyParcelsToo) {
  Outbox outbox(10'000);
  int taken = 0;
  for (; taken < 1'000'000 && outbox.has_room(0); ++taken) outbox.push(parcel(Lane::kControl, 0));
  EXPECT_LE(taken, 100);
}

TEST(Outbox, LetsSendersTakeTurnsAndTheServerGoFirst) {
  // Given three parcels of one client before those of another and of the server, in one lane.
  Outbox outbox(100 * kChunkBytes);
  const auto from = [](int sender) {
    Parcel sent = parcel(Lane::kControl, 5);
    sent.from = sender;
    return sent;
  };
  for (const int sender : {3, 3, 3, 1, kServer}) outbox.push(from(sender));
  EXPECT_GT(outbox.bytes_of(3), 15u);
  std::vector<int> order;
  while (const auto chunk = outbox.next()) {
    EXPECT_EQ(chunk->head.parcel, order.size() + 1);
    order.push_back(chunk->head.from);
  }
  EXPECT_EQ(order, (std::vector<int>{kServer, 1, 3, 3, 3}));
  EXPECT_EQ(outbox.bytes_of(3), 0u);
}

TEST(Outbox, EndsALargeParcelBeforeAnotherSendersTurnInItsLane) {
  Outbox outbox(100 * kChunkBytes);
  Parcel large = parcel(Lane::kBulk, 2 * kChunkBytes);
  large.from = 4;
  outbox.push(large);
  outbox.next();
  outbox.push(parcel(Lane::kBulk, 5));
  EXPECT_EQ(outbox.next()->head.from, 4);
  EXPECT_EQ(outbox.next()->head.from, kServer);
  EXPECT_TRUE(outbox.empty());
}

TEST(Outbox, HoldsNothingWhenCleared) {
  Outbox outbox(100 * kChunkBytes);
  const auto large = parcel(Lane::kBulk, 2 * kChunkBytes);
  outbox.push(large);
  outbox.clear();
  EXPECT_TRUE(outbox.empty());
  EXPECT_FALSE(outbox.next());
  EXPECT_EQ(large.bytes.use_count(), 1);
}

}  // namespace
}  // namespace fedvs::transport
