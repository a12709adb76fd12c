// What a server saves before every step: as large after many rounds as after a few, read by its own
// version alone.
#include "fedvs/protocol/saved.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fedvs/v1/server_state.pb.h"
#include "tests/support/stage.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::AllOf;
using ::testing::HasSubstr;

const Sets kLong{"protocol.late_models=reuse", "train.epochs=40"};

class SavedServerTest : public ::testing::Test {
 protected:
  SavedServerTest() : stage_(kLong) { stage_.start(); }
  void run_until(std::uint64_t round) { stage_.run_until_round(round); }
  // By a server that is started from these notes.
  Status restore(const std::string& notes) {
    if (stage_.server_runs()) stage_.kill_server();
    stage_.server_folder().notes = notes;
    return stage_.make_server();
  }
  void expect_corrupt(const std::function<void(v1::SavedServer&)>& edit, const char* what) {
    v1::SavedServer message;
    ASSERT_TRUE(message.ParseFromString(saved_));
    edit(message);
    const auto restored = restore(message.SerializeAsString());
    ASSERT_FALSE(restored) << what;
    EXPECT_EQ(restored.error().code, ErrorCode::kCorrupt) << what;
  }
  Stage stage_;
  std::string saved_;
};

TEST_F(SavedServerTest, TakesNoMoreRoomTheLongerTheRun) {
  std::size_t early = 0, late = 0;
  for (std::uint64_t round = 20; round < 40; ++round) {
    run_until(round);
    early = std::max(early, stage_.server().save().size());
  }
  for (std::uint64_t round = 100; round < 120; ++round) {
    run_until(round);
    late = std::max(late, stage_.server().save().size());
  }
  // Counters grow by a byte when they pass 127.
  EXPECT_LE(late, early + 64);
}

TEST_F(SavedServerTest, OfAnotherVersionIsRefusedWithBothAndARemedy) {
  run_until(6);
  saved_ = stage_.server().save();
  ASSERT_TRUE(restore(saved_));
  for (const std::uint32_t version : {0u, kSavedVersion + 1}) {
    v1::SavedServer message;
    ASSERT_TRUE(message.ParseFromString(saved_));
    message.set_version(version);
    const auto restored = restore(message.SerializeAsString());
    ASSERT_FALSE(restored);
    EXPECT_THAT(
        restored.error().message,
        AllOf(HasSubstr("the server's notes"), HasSubstr(fmt::format("format version {}", version)),
              HasSubstr(fmt::format("reads version {}", kSavedVersion)),
              HasSubstr("go on with the release")));
  }
}

TEST_F(SavedServerTest, WhatDoesNotFitTheJobIsCorrupt) {
  run_until(6);
  saved_ = stage_.server().save();
  expect_corrupt([](auto& m) { m.mutable_members()->RemoveLast(); }, "members");
  expect_corrupt([](auto& m) { m.mutable_members(0)->set_life("short"); }, "life");
  expect_corrupt([](auto& m) { m.set_link("short"); }, "link");
  expect_corrupt([](auto& m) { m.mutable_policy()->mutable_ready_as()->RemoveLast(); }, "lives");
  expect_corrupt(
      [](auto& m) { m.mutable_policy()->add_groups()->mutable_clients()->add_members(99); },
      "groups");
  expect_corrupt([](auto& m) { m.mutable_open()->mutable_plan()->set_part(9); }, "part");
  expect_corrupt([](auto& m) { m.mutable_open()->mutable_plan()->add_rows(1u << 30); }, "rows");
  expect_corrupt([](auto& m) { m.mutable_open()->add_frozen(true); }, "flags");
  expect_corrupt([](auto& m) { m.mutable_evaluation()->set_next(1u << 30); }, "evaluation");
}

}  // namespace
}  // namespace fedvs::protocol
