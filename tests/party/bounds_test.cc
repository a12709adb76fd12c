// Files of a party's state/ stay as large as they are in a run of any length, but for one, which
// grows by so many bytes a plan: docs/design/durable-state.md has the table.
#include <gmock/gmock.h>

#include "fedvs/base/prng.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/party/client_state.h"
#include "fedvs/party/head_log.h"
#include "fedvs/party/server_state.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/agreement_fixture.h"
#include "tests/support/lone_client.h"
#include "tests/support/wire_samples.h"

namespace fedvs::party {

struct ClientStateNotes {
  static Status plan(ClientState& state, const protocol::Step& step) {
    return state.note_plan(step);
  }
};

namespace {

constexpr int kSelf = 2, kClients = 7;

class Bounds : public ::testing::Test {
 protected:
  std::uintmax_t size(const std::string& name) const {
    return std::filesystem::file_size(state_ / name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(state_), {}));
  }
  ScratchFolder folder_;
  const std::filesystem::path state_ = folder_ / "state";
  const protocol::Agreement agreement_ = fedvs::testing::small_agreement();
  const coding::LagrangeCode code_ =
      coding::LagrangeCode::create(agreement_.ring, agreement_.shape).value();
  testing::WireSamples samples_{agreement_, 9};
  OsSecretSource secrets_;
};

// A client in its folder, as it is after a start.
struct Started {
  ClientState state;
  std::unique_ptr<protocol::Client> client;
};

class ClientBounds : public Bounds {
 protected:
  Started start() {
    auto state = ClientState::open(state_, kClients).value();
    auto client = fedvs::testing::lone_client(kSelf, agreement_, code_,
                                              state.rows(agreement_).value(), secrets_);
    state.recall(agreement_, *client).value();
    return {std::move(state), std::move(client)};
  }
};

TEST_F(ClientBounds, NotesOfPlansBeginAnewWithEveryCheckpoint) {
  auto [state, client] = start();
  std::uintmax_t most = 0;
  for (int checkpoint = 1; checkpoint <= 30; ++checkpoint) {
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(ClientStateNotes::plan(state, samples_.step()));
    }
    most = std::max(most, size("plans-" + std::to_string(checkpoint - 1) + ".log"));
    ASSERT_TRUE(state.save(*client));
    EXPECT_EQ(size("plans-" + std::to_string(checkpoint) + ".log"), 0u);
    EXPECT_FALSE(
        std::filesystem::exists(state_ / ("plans-" + std::to_string(checkpoint - 1) + ".log")));
  }
  EXPECT_LT(most, 10 * 2048u);
}

TEST_F(ClientBounds, CheckpointsAreReplacedAndDoNotPileUp) {
  auto [state, client] = start();
  ASSERT_TRUE(state.save(*client));
  const auto once = size("client.ckpt");
  const auto then = files();
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(state.save(*client));
  EXPECT_LE(size("client.ckpt"), once + 8) << "the number of the checkpoint";
  EXPECT_EQ(files(), then);
}

TEST_F(ClientBounds, TheIndexOfRowsIsWrittenAnewWhereMostOfItIsOfNoUse) {
  {
    auto [state, client] = start();
    ASSERT_TRUE(state.agree(samples_.terms()));
  }
  std::uintmax_t most = 0;
  for (int life = 0; life < 50; ++life) {
    auto [state, client] = start();
    most = std::max(most, size("rows.index"));
    // One chunk, again and again of another sharing: as if its sender started anew all the time.
    protocol::DataShare share{1, data::Part::kTrain, 0, nullptr};
    auto notes = RowNotes::open(state_ / "rows.index").value();
    for (int i = 0; i < 20; ++i) {
      share.sharing = samples_.sharing();
      ASSERT_TRUE(notes.add(*client, share));
    }
  }
  EXPECT_LE(most, 22 * 100u);
}

class ServerBounds : public Bounds {
 protected:
  void SetUp() override { std::filesystem::create_directories(state_); }
};

TEST_F(ServerBounds, WhatWasLearnedIsForgottenWithTheModelThatItIsIn) {
  auto state = ServerState::open(state_).value();
  ASSERT_TRUE(state.recall_learned([](auto) { return Result<bool>(true); }));
  ASSERT_TRUE(state.save_central({.model = "weights"}, true));
  std::uintmax_t most = 0;
  for (int round = 0; round < 400; ++round) {
    ASSERT_TRUE(state.note_learned({std::string(1u << 20, 'x')}));
    most = std::max(most, size("learned.log"));
    if (!state.central_due()) continue;
    ASSERT_TRUE(state.save_central({.model = "weights"}, true));
  }
  EXPECT_LE(most, (64u << 20) + 2 * (1u << 20));
}

// The one that grows: 64 bytes of header and link, 6 of fields and 8 of the record.
TEST_F(ServerBounds, ForgottenPlansLeaveLessThanEightyBytes) {
  const HeadLog::Most most{.steps = 100};
  const auto step = samples_.step();
  auto log = HeadLog::open(state_ / "heads.log", agreement_, most).value();
  const auto grow = [&](int plans) {
    for (int i = 0; i < plans; ++i) ASSERT_TRUE(log->append({samples_.bytes<32>(), {}}, step));
  };
  grow(500);
  const auto before = size("heads.log");
  grow(1000);
  const auto kept = 100 * (wire::encode(protocol::missed_form(step)).size() + 16);
  EXPECT_LE(size("heads.log"), before + 1000 * 80 + kept);
  EXPECT_GE(log->oldest_step(), 1400u);
}

}  // namespace
}  // namespace fedvs::party
