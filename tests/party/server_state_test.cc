#include "fedvs/party/server_state.h"

#include <gtest/gtest.h>

#include "tests/store/scratch_folder.h"
#include "tests/support/file_size_limit.h"

namespace fedvs::party {
namespace {

const ServerState::Run kRun{.id = {1, 2, 3}, .seed = 77, .door = "who has come", .classes = {}};
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
    ASSERT_TRUE(state.save_central([] { return std::string("weights"); }, 3, true));
  }

  ScratchFolder folder_;
  const std::filesystem::path state_ = folder_ / "state";
};

TEST_F(ServerStateTest, ANewFolderHoldsNothing) {
  const auto state = open();
  EXPECT_FALSE(state.run());
  EXPECT_FALSE(state.standing());
  EXPECT_TRUE(state.central().empty());
}

TEST_F(ServerStateTest, IsReadBackAsItWasSaved) {
  {
    auto state = open();
    fill(state);
  }
  const auto again = open();
  expect_same(again);
  EXPECT_EQ(again.central(), "weights");
  EXPECT_EQ(again.central_epochs(), 3);
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
    EXPECT_FALSE(state.save_central([] { return std::string(10'000, 'x'); }, 4, true));
  }
  const auto again = open();
  expect_same(again);
  EXPECT_EQ(again.central(), "weights");
}

}  // namespace
}  // namespace fedvs::party
