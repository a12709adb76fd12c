// The table of states.h, row by row.
#include "fedvs/protocol/client/states.h"

#include <gtest/gtest.h>

namespace fedvs::protocol::doing {
namespace {

constexpr SeesPlan kToTrainOn{.to_train_on = true}, kElse{.to_train_on = false};
constexpr Welcomed kNoPlanYet{.training = false}, kSomePlan{.training = true};
const Farewell kFarewell{Ending::kFinished, "all rounds are done"};
const BreaksOff kBreaksOff{.reason = "a row twice", .revision = 3};

template <class S>
bool leads_to(const State& from, const Event& event) {
  return std::holds_alternative<S>(next(from, event));
}

TEST(ClientStates, Greeting) {
  const State greeting = Greeting{};
  EXPECT_TRUE(leads_to<Greeting>(greeting, ComesBack{}));
  EXPECT_TRUE(leads_to<Preparing>(greeting, kNoPlanYet));
  EXPECT_TRUE(leads_to<CatchingUp>(greeting, kSomePlan));
  EXPECT_TRUE(leads_to<Greeting>(greeting, kElse));
  EXPECT_TRUE(leads_to<Greeting>(greeting, kToTrainOn));
  EXPECT_TRUE(leads_to<Finished>(greeting, kFarewell));
  EXPECT_TRUE(leads_to<BrokenOff>(greeting, kBreaksOff));
}

TEST(ClientStates, Preparing) {
  EXPECT_TRUE(leads_to<Greeting>(Preparing{}, ComesBack{}));
  EXPECT_TRUE(leads_to<Training>(Preparing{}, kElse));
  EXPECT_TRUE(leads_to<Training>(Preparing{}, kToTrainOn));
  EXPECT_TRUE(leads_to<Finished>(Preparing{}, kFarewell));
  EXPECT_TRUE(leads_to<BrokenOff>(Preparing{}, kBreaksOff));
}

TEST(ClientStates, CatchingUp) {
  EXPECT_TRUE(leads_to<Greeting>(CatchingUp{}, ComesBack{}));
  EXPECT_TRUE(leads_to<CatchingUp>(CatchingUp{}, kElse));
  EXPECT_TRUE(leads_to<Training>(CatchingUp{}, kToTrainOn));
  EXPECT_TRUE(leads_to<Finished>(CatchingUp{}, kFarewell));
  EXPECT_TRUE(leads_to<BrokenOff>(CatchingUp{}, kBreaksOff));
}

TEST(ClientStates, Training) {
  EXPECT_TRUE(leads_to<Greeting>(Training{}, ComesBack{}));
  EXPECT_TRUE(leads_to<Training>(Training{}, kElse));
  EXPECT_TRUE(leads_to<Training>(Training{}, kToTrainOn));
  EXPECT_TRUE(leads_to<Finished>(Training{}, kFarewell));
  EXPECT_TRUE(leads_to<BrokenOff>(Training{}, kBreaksOff));
}

TEST(ClientStates, Finished) {
  const State finished = next(Training{}, kFarewell);
  EXPECT_TRUE(leads_to<Finished>(finished, ComesBack{}));
  EXPECT_TRUE(leads_to<BrokenOff>(finished, kBreaksOff));
}

TEST(ClientStates, BrokenOff) {
  const State broken = next(Training{}, kBreaksOff);
  EXPECT_TRUE(leads_to<BrokenOff>(broken, ComesBack{}));
  EXPECT_TRUE(leads_to<BrokenOff>(broken, kBreaksOff));
}

TEST(ClientStates, APlanOnceSeenIsNeverUnseen) {
  for (const State& seen : {State(CatchingUp{}), State(Training{}), next(Greeting{}, kElse)}) {
    const State greeting = next(seen, ComesBack{});
    EXPECT_TRUE(has_seen_plan(greeting));
    EXPECT_TRUE(leads_to<CatchingUp>(greeting, kNoPlanYet));
    EXPECT_TRUE(has_seen_plan(next(seen, kFarewell)));
    EXPECT_TRUE(has_seen_plan(next(seen, kBreaksOff)));
  }
  EXPECT_FALSE(has_seen_plan(next(Preparing{}, ComesBack{})));
}

TEST(ClientStates, WhoWasBehindAtTheEndIsRememberedAsThat) {
  EXPECT_TRUE(is_behind(next(CatchingUp{}, kFarewell)));
  EXPECT_TRUE(is_behind(next(next(CatchingUp{}, ComesBack{}), kFarewell)));
  EXPECT_FALSE(is_behind(next(Training{}, kFarewell)));
}

TEST(ClientStates, BrokenOffKeepsItsReasonAndAFarewellThatCameBefore) {
  const State broken = next(next(Training{}, kFarewell), kBreaksOff);
  EXPECT_EQ(std::get<BrokenOff>(broken).reason, "a row twice");
  EXPECT_EQ(std::get<BrokenOff>(broken).revision, 3u);
  ASSERT_TRUE(farewell(broken));
  EXPECT_EQ(farewell(broken)->reason, kFarewell.reason);
  EXPECT_EQ(farewell(next(Training{}, kBreaksOff)), nullptr);
}

}  // namespace
}  // namespace fedvs::protocol::doing
