// The groups that a client knows of.
#include "fedvs/protocol/client/known_groups.h"

#include <gtest/gtest.h>

#include "tests/support/agreement_fixture.h"
#include "tests/support/rings.h"

namespace fedvs::protocol {
namespace {

constexpr int kClients = 4;
const Groups kGroups{{0, 2}, {1, 3}};

KnownGroups of_a_run() {
  KnownGroups known(kClients, {});
  known.note(std::make_shared<const Groups>(kGroups));
  return known;
}
void add(ShareShelf& shelf, int sender, StepNumber step) {
  shelf.add(sender, {step, testing::incarnation(1)},
            share_of(field::RingMatrix(testing::ring("rns4"), 1, 1)));
}

TEST(KnownGroups, TellsThoseThatBindItElseThoseOfTheRun) {
  EXPECT_EQ(KnownGroups(kClients, {}).to_tell(), Groups{});
  auto known = of_a_run();
  EXPECT_EQ(known.to_tell(), kGroups);
  known.bind({{0, 1, 2, 3}});
  EXPECT_EQ(known.to_tell(), (Groups{{0, 1, 2, 3}}));
}

TEST(KnownGroups, AGroupIsCompleteWhenAllItsModelsAreOfOneStep) {
  const auto known = of_a_run();
  ShareShelf shelf(kClients);
  add(shelf, 0, 5);
  add(shelf, 1, 5);
  EXPECT_FALSE(known.is_complete(0, shelf));
  add(shelf, 2, 4);
  EXPECT_FALSE(known.is_complete(2, shelf));
  add(shelf, 2, 5);
  EXPECT_TRUE(known.is_complete(2, shelf));
  EXPECT_FALSE(known.is_complete(1, shelf));
}

TEST(KnownGroups, AGroupIsCompleteWithoutThoseReleased) {
  auto known = of_a_run();
  ShareShelf shelf(kClients);
  add(shelf, 0, 5);
  known.note_released({false, false, true, false});
  EXPECT_TRUE(known.is_complete(0, shelf));
}

}  // namespace
}  // namespace fedvs::protocol
