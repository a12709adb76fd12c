// What clients send to the server waits in a box for each, with bounded room.
#include "fedvs/party/letterboxes.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace fedvs::party {
namespace {

using Boxes = Letterboxes<std::string>;
constexpr BoxRoom kRoom{.events = 3, .bytes = 100};

void post_all(Boxes& boxes, int client, const std::vector<std::string>& events) {
  for (const auto& event : events) boxes.post(client, event, event.size());
}

std::string next(Boxes& boxes) { return boxes.take(Boxes::Clock::now()).value_or("nothing"); }

std::string wait_for_next(Boxes& boxes) {
  return boxes.take(Boxes::Clock::now() + std::chrono::hours(1)).value_or("nothing");
}

// Until so many threads wait for room.
void wait_for_held_up(const Boxes& boxes, int threads) {
  while (boxes.held_up() != threads) std::this_thread::yield();
}

TEST(Letterboxes, ClientsTakeTurnsAndEachKeepsItsOrder) {
  Boxes boxes(kRoom);
  post_all(boxes, 4, {"a1", "a2", "a3"});
  post_all(boxes, 7, {"b1"});
  post_all(boxes, 2, {"c1", "c2"});
  std::vector<std::string> taken;
  for (int i = 0; i < 7; ++i) taken.push_back(next(boxes));
  EXPECT_EQ(taken, (std::vector<std::string>{"c1", "a1", "b1", "c2", "a2", "a3", "nothing"}));
}

TEST(Letterboxes, AFullBoxHoldsUpItsClientAndNoOther) {
  Boxes boxes(kRoom);
  std::thread flood([&] { post_all(boxes, 0, {"a1", "a2", "a3", "a4", "a5", "a6"}); });
  wait_for_held_up(boxes, 1);
  // Another client's box has room: posting returns, and its event is the second to be taken.
  post_all(boxes, 1, {"b1", "b2"});
  EXPECT_EQ(next(boxes), "a1");
  EXPECT_EQ(next(boxes), "b1");
  EXPECT_EQ(next(boxes), "a2");
  EXPECT_EQ(next(boxes), "b2");
  for (const char* event : {"a3", "a4", "a5", "a6"}) {
    EXPECT_EQ(wait_for_next(boxes), event);
  }
  flood.join();
  EXPECT_EQ(boxes.fullest(), kRoom.events);
  EXPECT_EQ(next(boxes), "nothing");
}

TEST(Letterboxes, BytesAreBoundedAndAnEmptyBoxTakesAnyEvent) {
  Boxes boxes(kRoom);
  const std::string large(1000, 'x'), small(60, 'y');
  boxes.post(0, large, large.size());
  std::thread more([&] { post_all(boxes, 0, {small, small}); });
  wait_for_held_up(boxes, 1);
  EXPECT_EQ(next(boxes), large);
  // Two of 60 bytes do not fit at once.
  EXPECT_EQ(wait_for_next(boxes), small);
  EXPECT_EQ(wait_for_next(boxes), small);
  more.join();
  EXPECT_EQ(boxes.fullest(), 1u);
}

TEST(Letterboxes, ClosingReleasesWhoeverWaitsAndDropsWhatComesLater) {
  Boxes boxes(kRoom);
  std::vector<std::thread> floods;
  for (int client : {0, 0, 5}) {
    floods.emplace_back([&, client] { post_all(boxes, client, {"1", "2", "3", "4", "5"}); });
  }
  wait_for_held_up(boxes, 3);
  boxes.close();
  for (auto& flood : floods) flood.join();
  post_all(boxes, 9, {"late"});
  for (std::size_t i = 0; i < 2 * kRoom.events; ++i) EXPECT_NE(next(boxes), "late");
  EXPECT_EQ(next(boxes), "nothing");
}

}  // namespace
}  // namespace fedvs::party
