// What a client saves is read back as it was, by its own version alone, and never believed where it
// does not fit the job.
#include "fedvs/protocol/saved.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "fedvs/v1/client_state.pb.h"
#include "tests/support/world_fixture.h"

namespace fedvs::protocol {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SavedClientTest : public ::testing::Test {
 protected:
  SavedClientTest() : trained_(fedvs::testing::make_world({})) { trained_->run_until_round(8); }
  std::string saved() const { return trained_->world->clients()[2]->save(); }
  // By a client of a new process.
  Status restore(const std::string& bytes) {
    fresh_ = fedvs::testing::make_world({});
    return fresh_->world->clients()[2]->restore(bytes);
  }
  void expect_corrupt(const std::function<void(v1::SavedClient&)>& edit, const char* what) {
    v1::SavedClient message;
    ASSERT_TRUE(message.ParseFromString(saved()));
    edit(message);
    const auto restored = restore(message.SerializeAsString());
    ASSERT_FALSE(restored) << what;
    EXPECT_EQ(restored.error().code, ErrorCode::kCorrupt) << what;
  }
  std::unique_ptr<fedvs::testing::Trial> trained_, fresh_;
};

TEST_F(SavedClientTest, IsReadBackBitForBit) {
  ASSERT_TRUE(restore(saved()));
  EXPECT_EQ(fresh_->world->clients()[2]->save(), saved());
}

TEST_F(SavedClientTest, OfAnotherVersionIsRefusedWithBothAndARemedy) {
  for (const std::uint32_t version : {0u, kSavedVersion + 1, 77u}) {
    v1::SavedClient message;
    ASSERT_TRUE(message.ParseFromString(saved()));
    message.set_version(version);
    const auto restored = restore(message.SerializeAsString());
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, ErrorCode::kBadFile);
    EXPECT_THAT(restored.error().message,
                AllOf(HasSubstr("a client's checkpoint"),
                      HasSubstr(fmt::format("format version {}", version)),
                      HasSubstr(fmt::format("reads version {}", kSavedVersion)),
                      HasSubstr("go on with the release")));
  }
}

TEST_F(SavedClientTest, TheModelAloneHasAVersionToo) {
  auto& client = *trained_->world->clients()[2];
  v1::SavedModel message;
  ASSERT_TRUE(message.ParseFromString(client.model().save()));
  message.set_version(kSavedVersion + 1);
  const auto restored = client.model().restore(message.SerializeAsString());
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message, HasSubstr("a client's model has format version"));
}

TEST_F(SavedClientTest, WhatDoesNotFitTheJobIsCorrupt) {
  expect_corrupt([](auto& m) { m.mutable_model()->mutable_weights()->pop_back(); }, "weights");
  expect_corrupt([](auto& m) { m.mutable_model()->mutable_weights()->append("more"); }, "weights");
  expect_corrupt([](auto& m) { m.mutable_model()->clear_chain(); }, "chain");
  expect_corrupt([](auto& m) { m.mutable_model()->add_rounded()->set_integers("four"); },
                 "rounded");
  expect_corrupt([](auto& m) { m.mutable_plans()->mutable_guard()->clear_vector_of_row(); },
                 "rows");
  expect_corrupt([](auto& m) { m.mutable_plans()->mutable_guard()->clear_vectors(); }, "vectors");
  expect_corrupt(
      [](auto& m) { m.mutable_plans()->mutable_guard()->add_released()->set_client(99); },
      "released");
  expect_corrupt([](auto& m) { m.add_sharings()->set_client(99); }, "sharings");
  expect_corrupt(
      [](auto& m) { m.mutable_plans()->mutable_groups()->add_groups()->add_members(99); },
      "groups");
}

TEST_F(SavedClientTest, BytesThatSomebodyElseHasWrittenAreAnErrorAndNothingWorse) {
  const std::string whole = saved();
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    std::string bytes = whole;
    for (int n = 0; n < 3; ++n) bytes[random() % bytes.size()] = static_cast<char>(random());
    static_cast<void>(restore(bytes));
    static_cast<void>(restore(whole.substr(0, random() % whole.size())));
  }
  EXPECT_FALSE(restore(std::string(1000, '\0')));
}

}  // namespace
}  // namespace fedvs::protocol
