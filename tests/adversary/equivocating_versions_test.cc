// One revision with other versions for each camp: the same rows, opened with two version vectors in
// one epoch. The difference is the change of one group's models on every row, which no plan that
// all clients see can have.
#include <iostream>

#include "fedvs/protocol/heads.h"
#include "tests/adversary/camps.h"

namespace fedvs::adversary {
namespace {

constexpr std::uint64_t kRounds = 6;  // groups have been formed, nothing has been evaluated

class EquivocatingVersions : public ::testing::Test {
 protected:
  static Sets sets(const std::string& mode, int max_age = 10) {
    return {"protocol.equivocation=" + mode, "protocol.max_age=" + std::to_string(max_age),
            "protocol.late_models=wait"};  // so that everybody holds the versions before
  }
  static std::shared_ptr<const Groups> groups_of(const Camps& camps) {
    return std::make_shared<const Groups>(camps.groups());
  }
  static Camps::Uploaded attack(Camps& camps) {
    const auto groups = groups_of(camps);
    return camps.show({}, camps.groups().front(), groups, groups);
  }
  static void expect_all_have_proof(Camps& camps) {
    for (int n = 0; n < Camps::kClients; ++n) {
      const auto& broken_off = camps.stage().client(n).broken_off();
      ASSERT_TRUE(broken_off) << "client " << n + 1;
      ASSERT_TRUE(broken_off->proof) << broken_off->reason;
      const auto proven = protocol::check(
          *broken_off->proof, [&](std::string_view text, const protocol::Signature& signature) {
            return seal::verify(camps.stage().server_key().public_key, text, signature);
          });
      EXPECT_TRUE(proven) << proven.error().message;
    }
  }
};

TEST_F(EquivocatingVersions, WithoutSignedPlansOneGroupsChangeComesOut) {
  Camps camps(sets("detect"), kRounds, /*defended=*/false, Relay::kHonest);
  const auto uploaded = attack(camps);
  ASSERT_GE(uploaded.a, 3);
  ASSERT_GE(uploaded.b, 3);
  const auto truth = camps.change_of(camps.groups().front());
  const int right = recovered(difference(camps.opened(Camp::kA), camps.opened(Camp::kB)), truth);
  std::cout << right << " of " << truth.size() << " entries of one group's change recovered\n";
  EXPECT_GE(right, static_cast<int>(truth.size()) * 9 / 10);
  EXPECT_EQ(camps.broken_off(), 0);
}

TEST_F(EquivocatingVersions, PreventLetsNoCampUploadWhateverTheRelayDrops) {
  for (const Relay relay : {Relay::kHonest, Relay::kKeepsCampsApart}) {
    Camps camps(sets("prevent"), kRounds, /*defended=*/true, relay);
    const auto uploaded = attack(camps);
    std::cout << "uploads: " << uploaded.a << " and " << uploaded.b << "\n";
    EXPECT_EQ(uploaded.a, 0);
    EXPECT_EQ(uploaded.b, 0);
    if (relay == Relay::kHonest) expect_all_have_proof(camps);
  }
}

TEST_F(EquivocatingVersions, BoundedCatchesItWithinMaxAgePlans) {
  Camps camps(sets("bounded"), kRounds, /*defended=*/true, Relay::kHonest);
  int plans = 0;
  for (; plans < 10 && camps.broken_off() < Camps::kClients; ++plans) attack(camps);
  std::cout << "caught by all after " << plans << " plans\n";
  expect_all_have_proof(camps);
  const auto after = attack(camps);
  EXPECT_EQ(after.a + after.b, 0);
}

TEST_F(EquivocatingVersions, ARelayThatKeepsCampsApartGetsNoUploadsAfterMaxAgePlans) {
  constexpr int kMaxAge = 3;
  Camps camps(sets("bounded", kMaxAge), kRounds, /*defended=*/true, Relay::kKeepsCampsApart);
  for (int plans = 1; plans <= 2 * kMaxAge; ++plans) {
    const auto uploaded = attack(camps);
    std::cout << "plan " << plans << " of the fork: uploads " << uploaded.a << " and " << uploaded.b
              << "\n";
    if (plans > kMaxAge) {
      EXPECT_EQ(uploaded.a + uploaded.b, 0) << plans;
    }
  }
  EXPECT_EQ(camps.broken_off(), 0);  // nobody has a proof: they stand still
}

TEST_F(EquivocatingVersions, DetectCatchesItAsSoonAsAnEchoPasses) {
  Camps camps(sets("detect"), kRounds, /*defended=*/true, Relay::kHonest);
  int plans = 0;
  for (; plans < 10 && camps.broken_off() < Camps::kClients; ++plans) attack(camps);
  std::cout << "caught by all after " << plans << " plans\n";
  expect_all_have_proof(camps);
}

// The same attack with the same plan for both camps is no attack.
TEST_F(EquivocatingVersions, AnHonestPlanIsUploadedForInEveryMode) {
  for (const char* mode : {"bounded", "prevent", "detect"}) {
    Camps camps(sets(mode), kRounds, /*defended=*/true, Relay::kHonest);
    const auto groups = groups_of(camps);
    const auto uploaded = camps.show({}, {}, groups, groups);
    EXPECT_EQ(uploaded.a, Camps::kSizeOfA) << mode;
    EXPECT_EQ(uploaded.b, Camps::kClients - Camps::kSizeOfA) << mode;
    EXPECT_EQ(camps.broken_off(), 0);
  }
}

}  // namespace
}  // namespace fedvs::adversary
