// Runs over the loopback in which clients compare the plans that they were shown; and a client that
// has refused once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/party/refused.h"
#include "tests/party/rehearsal.h"

namespace fedvs::party::testing {
namespace {

using ::testing::HasSubstr;

class SignedPlans : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(EveryMode, SignedPlans, ::testing::Values("bounded", "prevent", "detect"));

// Six clients: R = 3, Q = 4.
TEST_P(SignedPlans, AnHonestRunTrainsAndEverybodyEndsWell) {
  Rehearsal run({"train.epochs=3", "protocol.equivocation=" + GetParam()});
  run.start();
  const auto over = run.wait();
  EXPECT_TRUE(over.server) << over.server.error().message << run.log().text();
  for (const auto& client : over.clients) {
    EXPECT_TRUE(client) << client.error().message << run.log().text();
  }
  EXPECT_GT(over.accuracy, 0.6);
  EXPECT_EQ(run.log().count("refuses"), 0u) << run.log().text();
  // 72 bytes for every plan: rounds and chunks of evaluations.
  EXPECT_GE(std::filesystem::file_size(run.trial().server / "state" / "heads.log"),
            72 * over.rounds);
}

TEST(StickyRefusal, AClientThatHasRefusedTakesPartNoMoreWithoutItsOperatorsWord) {
  Rehearsal run({"train.epochs=1"});
  const auto folder = run.trial().clients[2];
  ASSERT_TRUE(
      note_refused(folder, {.reason = "two plans in one revision", .revision = 7, .at = 0}));
  // When it is started, again and again, it says so and ends with the status of refusals.
  for (int i = 0; i < 2; ++i) {
    run.start_client(2, "127.0.0.1:1");
    const auto ended = run.wait_client(2);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, ErrorCode::kRefused);
    EXPECT_THAT(ended.error().message, HasSubstr("two plans in one revision (on 1970-01-01"));
    EXPECT_THAT(ended.error().message, HasSubstr("--take-part-again"));
  }
  // When the operator says so, the note is kept under another name and all goes on.
  ASSERT_TRUE(check_refused(folder, /*again=*/true));
  EXPECT_FALSE(std::filesystem::exists(folder / "refused.json"));
  ASSERT_TRUE(check_refused(folder, /*again=*/false));
  run.start();
  const auto over = run.wait();
  EXPECT_TRUE(over.server) << over.server.error().message << run.log().text();
}

TEST(StickyRefusal, ANoteThatCannotBeReadIsOneAllTheSame) {
  ScratchFolder folder;
  put(folder / "refused.json", "{");
  const auto refused = check_refused(folder.path(), false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace fedvs::party::testing
