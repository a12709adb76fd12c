// What a client keeps besides its model; the rest is tested with whole clients (return_test).
#include "fedvs/party/client_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/net/wire/codec.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/wire_samples.h"

namespace fedvs::party {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

}  // namespace

struct ClientStateNotes {
  static Status plan(ClientState& state, const protocol::Step& step) {
    return state.note_plan(step);
  }
  static bool lost_checkpoint(const ClientState& state) {
    return state.plans_->checkpoint_is_lost();
  }
};

namespace {

class ClientStateTest : public ::testing::Test {
 protected:
  ClientState open() { return ClientState::open(state_, 7).value(); }

  ScratchFolder folder_;
  const std::filesystem::path state_ = folder_ / "state";
  const protocol::Agreement agreement_ = testing::wire_agreement("rns4");
  testing::WireSamples samples_{agreement_, 9};
};

TEST_F(ClientStateTest, OnlyItsOwnerMayLookIntoTheFolder) {
  open();
  EXPECT_EQ(std::filesystem::status(state_).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(ClientStateTest, TermsAreKeptAndOthersRefused) {
  const auto terms = samples_.terms();
  {
    auto state = open();
    EXPECT_FALSE(state.terms());
    ASSERT_TRUE(state.agree(terms));
    EXPECT_TRUE(state.agree(terms));
  }
  auto state = open();
  ASSERT_TRUE(state.terms());
  EXPECT_EQ(*state.terms(), terms);
  EXPECT_TRUE(state.agree(terms));
  const auto refused = [&](auto edit) {
    auto other = terms;
    edit(other);
    const auto agreed = state.agree(other);
    ASSERT_FALSE(agreed);
    EXPECT_EQ(agreed.error().code, ErrorCode::kRefused);
    EXPECT_THAT(agreed.error().message, HasSubstr("another run"));
  };
  refused([](auto& other) { other.run_id[0] ^= 1; });
  refused([](auto& other) { ++other.features[6]; });
  refused([](auto& other) { ++other.rows[0]; });
  refused([](auto& other) { other.row_ids[5] ^= 1; });
  refused([](auto& other) { ++other.classes; });
  EXPECT_EQ(*open().terms(), terms) << "the former stay";
}

TEST_F(ClientStateTest, TornTermsAreAnErrorAndNotNoTerms) {
  ASSERT_TRUE(open().agree(samples_.terms()));
  const std::string whole = contents_of(state_ / "terms");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(state_ / "terms", whole.substr(0, size));
    EXPECT_FALSE(ClientState::open(state_, 7)) << size;
  }
}

TEST_F(ClientStateTest, NotedPlansSurviveACutAtAnyByte) {
  std::vector<std::size_t> ends{0};
  const auto file = state_ / "plans-0.log";
  {
    auto state = open();
    ASSERT_TRUE(state.agree(samples_.terms()));
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(ClientStateNotes::plan(state, samples_.step()));
      ends.push_back(std::filesystem::file_size(file));
    }
  }
  const std::string whole = contents_of(file);
  for (std::size_t size = 0; size <= whole.size(); size += 5) {
    put(file, whole.substr(0, size));
    open();
    std::size_t kept = 0;
    while (kept + 1 < ends.size() && ends[kept + 1] <= size) ++kept;
    EXPECT_EQ(std::filesystem::file_size(file), ends[kept]) << size;
  }
}

TEST_F(ClientStateTest, WhatCameBeforeRowsWereSharedIsOfNoRun) {
  {
    auto state = open();
    ASSERT_TRUE(state.keep({.names = {"age"}, .standardiser = {{0}, {1}, 3}}));
    ASSERT_TRUE(ClientStateNotes::plan(state, samples_.step()));
    ASSERT_TRUE(state.check(samples_.terms())) << "any run will do";
  }
  put(state_ / "coded-rows-0", "somebody's");
  put(state_ / "kept", "by its owner");
  const auto again = open();
  EXPECT_FALSE(std::filesystem::exists(state_ / "coded-rows-0"));
  EXPECT_FALSE(again.columns());
  EXPECT_GT(std::filesystem::file_size(state_ / "plans-0.log"), 0u) << "these are never forgotten";
  EXPECT_EQ(contents_of(state_ / "kept"), "by its owner");
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(state_).permissions(), perms::owner_all);
}

TEST_F(ClientStateTest, DamagedNotesOfPlansAreAnErrorAndNotNoNotes) {
  const auto file = state_ / "plans-0.log";
  {
    auto state = open();
    ASSERT_TRUE(state.agree(samples_.terms()));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(ClientStateNotes::plan(state, samples_.step()));
  }
  std::string bytes = contents_of(file);
  bytes[20] = static_cast<char>(~bytes[20]);  // in the first
  put(file, bytes);
  const auto damaged = ClientState::open(state_, 7);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message,
              AllOf(HasSubstr("plans-0.log is damaged"), HasSubstr("put back a copy of it")));
  EXPECT_EQ(contents_of(file), bytes);
}

TEST_F(ClientStateTest, NotesOfACheckpointThatIsGoneAreGoneOnWith) {
  {
    auto state = open();
    ASSERT_TRUE(state.agree(samples_.terms()));
    ASSERT_TRUE(ClientStateNotes::plan(state, samples_.step()));
  }
  std::filesystem::rename(state_ / "plans-0.log", state_ / "plans-12.log");
  put(state_ / "plans-7.log", "of before, and not removed");
  const auto noted = std::filesystem::file_size(state_ / "plans-12.log");
  auto state = open();
  EXPECT_TRUE(ClientStateNotes::lost_checkpoint(state));
  ASSERT_TRUE(ClientStateNotes::plan(state, samples_.step()));
  EXPECT_GT(std::filesystem::file_size(state_ / "plans-12.log"), noted);
  EXPECT_FALSE(std::filesystem::exists(state_ / "plans-0.log"));
}

TEST_F(ClientStateTest, PlansAreNotedWithoutTheirGradients) {
  auto state = open();
  const auto step = samples_.step();
  ASSERT_TRUE(ClientStateNotes::plan(state, step));
  EXPECT_LT(std::filesystem::file_size(state_ / "plans-0.log"), wire::encode(step).size());
}

}  // namespace
}  // namespace fedvs::party
