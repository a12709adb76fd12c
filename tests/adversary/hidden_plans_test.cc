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

// Two plans under one mask: the difference of their uploads hides nothing but the sums any more.
TEST(HiddenPlans, AMaskIsUsedByOneCampOnly) {
  Camps camps({"protocol.equivocation=prevent", "protocol.late_models=wait"}, kRounds,
              /*defended=*/true, Relay::kHonest);
  const auto uploaded = camps.show_in_turn({}, {}, Camps::Masks::kTheSame);
  std::cout << "uploads under one mask: " << uploaded.a << " and " << uploaded.b << "\n";
  EXPECT_EQ(uploaded.a, Camps::kSizeOfA);
  EXPECT_EQ(uploaded.b, 0);
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

}  // namespace
}  // namespace fedvs::adversary
