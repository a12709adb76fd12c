// A client does not let others make it send without end.
#include "fedvs/protocol/client/dealings.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {
namespace {

using testing::incarnation;

TEST(Dealings, ComplaintsAreSaidAtGrowingIntervalsAndPerClient) {
  Dealings dealings(2);
  std::vector<int> said;
  for (int time = 1; time <= 9; ++time) {
    if (dealings.complain(1)) said.push_back(time);
  }
  EXPECT_EQ(said, (std::vector{1, 2, 4, 8}));
  EXPECT_TRUE(dealings.complain(0));
}

TEST(Dealings, StaleRowsAreCountedAndToldAtGrowingIntervals) {
  Dealings dealings(1);
  std::vector<std::size_t> told;
  for (int time = 1; time <= 5; ++time) told.push_back(dealings.stale_rows(0));
  EXPECT_EQ(told, (std::vector<std::size_t>{1, 2, 0, 4, 0}));
}

TEST(Dealings, EveryLifeIsSentModelsAndSeedsOnce) {
  Dealings dealings(1);
  EXPECT_TRUE(dealings.first_models_for(0, incarnation(1)));
  EXPECT_FALSE(dealings.first_models_for(0, incarnation(1)));
  EXPECT_TRUE(dealings.first_seeds_for(0, incarnation(1)));
  EXPECT_FALSE(dealings.first_seeds_for(0, incarnation(1)));
  EXPECT_TRUE(dealings.first_models_for(0, incarnation(2)));
  EXPECT_TRUE(dealings.first_seeds_for(0, incarnation(2)));
}

// How many chunks the client is sent before it is refused.
int chunks_sent(Dealings& dealings, std::size_t in_all) {
  int sent = 0;
  while (dealings.may_send_chunk(0, in_all)) ++sent;
  return sent;
}

TEST(Dealings, ANewLifeMayFetchAllRowsAgainBeforeTrainingOnly) {
  Dealings dealings(1);
  EXPECT_EQ(chunks_sent(dealings, 3), 8 * (3 + 4));
  dealings.meet_anew(0, /*training=*/true);
  EXPECT_EQ(chunks_sent(dealings, 3), 0);
  dealings.meet_anew(0, /*training=*/false);
  EXPECT_EQ(chunks_sent(dealings, 3), 8 * (3 + 4));
}

TEST(Dealings, FourRowKeysOfEachLifeAreAnswered) {
  Dealings dealings(2);
  for (int key = 0; key < 4; ++key) EXPECT_TRUE(dealings.may_answer_row_key());
  EXPECT_FALSE(dealings.may_answer_row_key());
  dealings.meet_anew(0, /*training=*/true);
  EXPECT_TRUE(dealings.may_answer_row_key());
}

TEST(Dealings, ANewLifeOfTheClientItselfForgetsAll) {
  Dealings dealings(1);
  for (int time = 0; time < 3; ++time) dealings.complain(0);
  dealings.first_models_for(0, incarnation(1));
  dealings.begin_anew();
  EXPECT_TRUE(dealings.complain(0));
  EXPECT_TRUE(dealings.first_models_for(0, incarnation(1)));
}

}  // namespace
}  // namespace fedvs::protocol
