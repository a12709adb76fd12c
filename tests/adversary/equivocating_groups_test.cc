// Other groups for each camp: {1,2,3}|{4..9} and {1,2,3,4}|{5..9}. Each camp sees groups of at
// least T + 2 that move as a whole, and the difference of the two sums is client 4's alone.
#include <iostream>

#include "tests/adversary/camps.h"

namespace fedvs::adversary {
namespace {

constexpr std::uint64_t kRounds = 3;  // before groups are formed
constexpr int kVictim = 3;

class EquivocatingGroups : public ::testing::Test {
 protected:
  static Sets sets(const std::string& mode) { return {"protocol.equivocation=" + mode}; }
  static Camps::Uploaded attack(Camps& camps) {
    const Groups a{{0, 1, 2}, {3, 4, 5, 6, 7, 8}}, b{{0, 1, 2, 3}, {4, 5, 6, 7, 8}};
    return camps.show(a[0], b[0], std::make_shared<const Groups>(a),
                      std::make_shared<const Groups>(b));
  }
};

TEST_F(EquivocatingGroups, WithoutSignedPlansOneClientsChangeComesOut) {
  Camps camps(sets("detect"), kRounds, /*defended=*/false, Relay::kHonest);
  const auto uploaded = attack(camps);
  ASSERT_GE(uploaded.a, 3);
  ASSERT_GE(uploaded.b, 3);
  const auto truth = camps.change_of({kVictim});
  const int right = recovered(difference(camps.opened(Camp::kA), camps.opened(Camp::kB)), truth);
  std::cout << right << " of " << truth.size() << " entries of one client's change recovered\n";
  EXPECT_GE(right, static_cast<int>(truth.size()) * 9 / 10);
}

TEST_F(EquivocatingGroups, PreventLetsNoCampUpload) {
  for (const Relay relay : {Relay::kHonest, Relay::kKeepsCampsApart}) {
    Camps camps(sets("prevent"), kRounds, /*defended=*/true, relay);
    const auto uploaded = attack(camps);
    EXPECT_EQ(uploaded.a + uploaded.b, 0);
    if (relay == Relay::kHonest) {
      EXPECT_EQ(camps.broken_off(), Camps::kClients);
    }
  }
}

TEST_F(EquivocatingGroups, BoundedAndDetectCatchIt) {
  for (const char* mode : {"bounded", "detect"}) {
    Camps camps(sets(mode), kRounds, /*defended=*/true, Relay::kHonest);
    int plans = 0;
    for (; plans < 10 && camps.broken_off() < Camps::kClients; ++plans) attack(camps);
    std::cout << mode << ": caught by all after " << plans << " plans\n";
    EXPECT_EQ(camps.broken_off(), Camps::kClients);
  }
}

// Groups told without a plan are in no plan's header: the next plan must repeat them.
TEST_F(EquivocatingGroups, GroupsToldApartFromPlansAreFoundToo) {
  Camps camps(sets("prevent"), kRounds, /*defended=*/true, Relay::kHonest);
  for (int n = 0; n < Camps::kClients; ++n) {
    Step told;
    told.share.assign(Camps::kClients, false);
    told.frozen = told.released = told.share;
    told.groups = std::make_shared<const Groups>(Camps::camp_of(n) == Camp::kA
                                                     ? Groups{{0, 1, 2}, {3, 4, 5, 6, 7, 8}}
                                                     : Groups{{0, 1, 2, 3}, {4, 5, 6, 7, 8}});
    camps.stage().send_as_server(n, protocol::make_message(told));
  }
  camps.stage().deliver_all();
  EXPECT_EQ(camps.broken_off(), 0);
  const auto uploaded = camps.show({0, 1, 2}, {0, 1, 2, 3}, nullptr, nullptr);
  EXPECT_EQ(uploaded.a + uploaded.b, 0);
  EXPECT_EQ(camps.broken_off(), Camps::kClients);
}

}  // namespace
}  // namespace fedvs::adversary
