// A server that signs one chain only: each plan is shown to one camp, and the other is told of it
// as of a plan that it missed. All heads agree; but each camp's guard knows half of what was
// opened, and the same rows are opened with two version vectors in one epoch.
#include <iostream>

#include "tests/adversary/camps.h"

namespace fedvs::adversary {
namespace {

constexpr std::uint64_t kRounds = 6;  // groups have been formed, nothing has been evaluated

TEST(HiddenPlans, OneChainTellsOneGroupsChange) {
  for (const char* mode : {"prevent", "bounded", "detect"}) {
    Camps camps({std::string("protocol.equivocation=") + mode, "protocol.late_models=wait"},
                kRounds,
                /*defended=*/true, Relay::kHonest);
    const auto uploaded = camps.show_in_turn({}, camps.groups().front());
    const auto truth = camps.change_of(camps.groups().front());
    int right = 0;
    if (uploaded.a >= 3 && uploaded.b >= 3) {
      right = recovered(difference(camps.opened(Camp::kA), camps.opened(Camp::kB)), truth);
    }
    std::cout << mode << ": uploads " << uploaded.a << " and " << uploaded.b << ", " << right
              << " of " << truth.size() << " entries of one group's change recovered, "
              << camps.broken_off() << " clients broke off\n";
    EXPECT_EQ(right, 0) << mode;
  }
}

// What honest servers do: the second plan opens the same rows with the same versions.
TEST(HiddenPlans, APlanThatFitsThoseThatWereMissedIsAnswered) {
  Camps camps({"protocol.equivocation=prevent", "protocol.late_models=wait"}, kRounds,
              /*defended=*/true, Relay::kHonest);
  const auto uploaded = camps.show_in_turn({}, {});
  EXPECT_EQ(uploaded.a, Camps::kSizeOfA);
  EXPECT_EQ(uploaded.b, Camps::kClients - Camps::kSizeOfA);
  EXPECT_EQ(camps.broken_off(), 0);
}

// Were its groups remembered, they would bind the client, and by its word others, for good.
TEST(HiddenPlans, OneThatIsRefusedLeavesNoGroupsBehind) {
  // Given clients that no groups were told of, one in each camp.
  constexpr int kToldAGoodOne = 3, kToldABadOne = 5;
  Camps camps({"protocol.equivocation=prevent", "protocol.late_models=wait"}, /*rounds=*/2,
              /*defended=*/true, Relay::kKeepsCampsApart);
  const auto client = [&](int n) -> auto& { return camps.stage().client(n); };
  for (int n : {kToldAGoodOne, kToldABadOne}) ASSERT_EQ(client(n).groups(), nullptr);
  // When each is told of a plan with groups, one of them with a row that is named twice.
  const Groups groups{{0, 1, 2, 3}, {4, 5, 6, 7, 8}};
  camps.tell_of(kToldAGoodOne, groups, {0, 1});
  camps.tell_of(kToldABadOne, groups, {0, 0});
  // Then only the other one remembers them.
  EXPECT_FALSE(client(kToldAGoodOne).broken_off());
  EXPECT_NE(client(kToldAGoodOne).groups(), nullptr);
  ASSERT_TRUE(client(kToldABadOne).broken_off());
  EXPECT_FALSE(client(kToldABadOne).broken_off()->proof) << "refused for its rows";
  EXPECT_EQ(client(kToldABadOne).groups(), nullptr);
}

}  // namespace
}  // namespace fedvs::adversary
