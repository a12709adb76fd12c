#include "fedvs/party/server_state.h"

#include <gtest/gtest.h>

#include "tests/store/scratch_folder.h"
#include "tests/support/file_size_limit.h"

namespace fedvs::party {
namespace {

const ServerState::Run kRun{
    .id = {1, 2, 3}, .seed = 77, .door = "who has come", .classes = {}, .settled = true};
const ServerState::Standing kStanding{.server = "round 7",
                                      .totals = "so many bytes",
                                      .seconds = 12.5,
                                      .restarts = 2,
                                      .done = false,
                                      .versions = {}};

class ServerStateTest : public ::testing::Test {
 protected:
  ServerState open() { return ServerState::open(state_).value(); }
  void expect_same(const ServerState& state) {
    ASSERT_TRUE(state.run());
    EXPECT_EQ(state.run()->id, kRun.id);
    EXPECT_EQ(state.run()->seed, kRun.seed);
    EXPECT_EQ(state.run()->door, kRun.door);
    EXPECT_TRUE(state.run()->settled);
    ASSERT_TRUE(state.standing());
    EXPECT_EQ(state.standing()->server, kStanding.server);
    EXPECT_EQ(state.standing()->totals, kStanding.totals);
    EXPECT_EQ(state.standing()->seconds, kStanding.seconds);
    EXPECT_EQ(state.standing()->restarts, kStanding.restarts);
    EXPECT_EQ(state.standing()->done, kStanding.done);
  }
  void fill(ServerState& state) {
    ASSERT_TRUE(state.begin(kRun));
    ASSERT_TRUE(state.save(kStanding));
    ASSERT_TRUE(state.recall_learned(take_all));
    ASSERT_TRUE(state.save_central({.model = "weights", .rounds = 30, .rate_changes = 3}, true));
  }

  std::vector<std::string> learned_;
  const ServerState::Recall take_all = [this](std::string_view news) -> Result<bool> {
    learned_.emplace_back(news);
    return true;
  };

  ScratchFolder folder_;
  const std::filesystem::path state_ = folder_ / "state";
};

TEST_F(ServerStateTest, ANewFolderHoldsNothing) {
  const auto state = open();
  EXPECT_FALSE(state.run());
  EXPECT_FALSE(state.standing());
  EXPECT_TRUE(state.central().model.empty());
}

TEST_F(ServerStateTest, IsReadBackAsItWasSaved) {
  {
    auto state = open();
    fill(state);
  }
  const auto again = open();
  expect_same(again);
  EXPECT_EQ(again.central().model, "weights");
  EXPECT_EQ(again.central().rounds, 30u);
  EXPECT_EQ(again.central().rate_changes, 3);
}

TEST_F(ServerStateTest, AFileThatIsCutOffIsAnErrorThatNamesIt) {
  {
    auto state = open();
    fill(state);
  }
  for (const char* name : {"run.ckpt", "server.ckpt", "central.ckpt"}) {
    const std::string whole = contents_of(state_ / name);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      put(state_ / name, whole.substr(0, size));
      const auto torn = ServerState::open(state_);
      ASSERT_FALSE(torn) << name << " of " << size << " bytes";
      EXPECT_NE(torn.error().message.find(name), std::string::npos) << torn.error().message;
    }
    put(state_ / name, whole);
  }
  expect_same(open());
}

TEST_F(ServerStateTest, AFullDiskIsAnErrorAndLeavesWhatWasSavedBefore) {
  {
    auto state = open();
    fill(state);
    const testing::FileSizeLimit full(16);
    auto later = kStanding;
    later.server = std::string(10'000, 'x');
    EXPECT_FALSE(state.save(later));
    EXPECT_FALSE(state.save_central({.model = std::string(10'000, 'x')}, true));
    EXPECT_FALSE(state.note_learned({std::string(10'000, 'x')}));
  }
  const auto again = open();
  expect_same(again);
  EXPECT_EQ(again.central().model, "weights");
}

TEST_F(ServerStateTest, WhatWasLearnedIsRecalledUntilTheModelIsSaved) {
  {
    auto state = open();
    fill(state);
    ASSERT_TRUE(state.note_learned({"one", "two"}));
    ASSERT_TRUE(state.note_learned({"three"}));
  }
  auto state = open();
  ASSERT_TRUE(state.recall_learned(take_all));
  EXPECT_EQ(learned_, (std::vector<std::string>{"one", "two", "three"}));
  ASSERT_TRUE(state.save_central({.model = "later"}, /*notes_done=*/false));
  learned_.clear();
  ASSERT_TRUE(state.recall_learned(take_all));
  EXPECT_EQ(learned_.size(), 3u);
  ASSERT_TRUE(state.save_central({.model = "later"}, /*notes_done=*/true));
  learned_.clear();
  ASSERT_TRUE(state.recall_learned(take_all));
  EXPECT_EQ(learned_.size(), 0u);
}

TEST_F(ServerStateTest, WhatWasLearnedInARoundThatWasNeverSentIsDropped) {
  auto state = open();
  fill(state);
  ASSERT_TRUE(state.note_learned({"one", "never sent", "nor this"}));
  ASSERT_TRUE(state.recall_learned(
      [](std::string_view news) -> Result<bool> { return news != "never sent"; }));
  ASSERT_TRUE(state.note_learned({"two"}));
  ASSERT_TRUE(state.recall_learned(take_all));
  EXPECT_EQ(learned_, (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace fedvs::party
