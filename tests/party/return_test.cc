// A client that is stopped and started again in the middle of a run, with its folder as it was,
// damaged, or of another run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/party/rehearsal.h"

namespace fedvs::party::testing {
namespace {

using ::testing::HasSubstr;
constexpr int kLast = Rehearsal::kClients - 1;

class Return : public ::testing::Test {
 protected:
  // Messages of some tens of KiB, as in jobs that are not tests.
  Return()
      : run_({"model.width=64", "train.batch_size=128", "train.epochs=10",
              "train.evaluate_every=10"}) {
    run_.diary().set_linger(true);
    run_.start();
  }
  std::filesystem::path state() {
    return run_.trial().clients[static_cast<std::size_t>(kLast)] / "state";
  }
  void leave() {
    ASSERT_TRUE(run_.diary().wait_for_round(9)) << run_.log().text();
    const auto stopped = run_.stop_client(kLast);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::kStopped) << stopped.error().message;
    ASSERT_TRUE(run_.diary().wait_for_note("client-6 disconnected")) << run_.log().text();
    ASSERT_TRUE(run_.diary().wait_for_round(run_.diary().rounds() + 2)) << run_.log().text();
  }
  void come_back() {
    run_.start_client(kLast);
    ASSERT_TRUE(run_.diary().wait_for_note("client-6 is back")) << run_.log().text();
  }
  void expect_end() {
    const auto over = run_.wait();
    EXPECT_TRUE(over.server) << over.server.error().message << run_.log().text();
    for (const auto& client : over.clients) {
      EXPECT_TRUE(client) << client.error().message << run_.log().text();
    }
  }
  std::filesystem::path one_of(const std::string& beginning) {
    for (const auto& entry : std::filesystem::directory_iterator(state())) {
      if (entry.path().filename().string().starts_with(beginning)) return entry.path();
    }
    ADD_FAILURE() << "no " << beginning << " in " << state();
    return {};
  }
  // The first of the plans that it has noted since its last checkpoint, as it is in the file:
  // length, checksum, note. It notes one in every round, and saves now and then.
  std::string noted_plan() {
    EXPECT_TRUE(run_.diary().wait_for_round(3)) << run_.log().text();
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < until) {
      const std::string notes = contents_of(one_of("plans-"));
      std::uint32_t length = 0;
      std::memcpy(&length, notes.data(), std::min(notes.size(), sizeof length));
      if (length > 0 && notes.size() >= 8 + length) return notes.substr(0, 8 + length);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "no plan was noted";
    return std::string(64, '\0');
  }

  Rehearsal run_;
};

// Others go on sending to it while it reads its folder.
TEST_F(Return, ARestartedClientComesBackAtOnce) {
  leave();
  come_back();
  EXPECT_EQ(run_.log().count("bytes, at most"), 0u) << run_.log().text();
  EXPECT_EQ(run_.log().count("to be fetched"), Rehearsal::kClients);  // at the beginning
  expect_end();
}

TEST_F(Return, TornRowsAreFetchedAgain) {
  leave();
  const auto rows = one_of("coded-rows");
  std::string bytes = contents_of(rows);
  for (std::size_t at = 0; at < bytes.size(); at += 4096) bytes[at] = static_cast<char>(~bytes[at]);
  put(rows, bytes);
  come_back();
  EXPECT_TRUE(run_.log().wait_for("were torn and are fetched again")) << run_.log().text();
  expect_end();
}

// Killed while it wrote down a plan, which it has not answered then.
TEST_F(Return, ATornNoteOfAPlanDoesNotKeepItAway) {
  const std::string torn = noted_plan().substr(0, 40);
  leave();  // all is saved: there are no notes
  const auto plans = one_of("plans-");
  ASSERT_EQ(contents_of(plans), "");
  put(plans, torn);
  come_back();
  expect_end();
  EXPECT_FALSE(contents_of(one_of("plans-")).starts_with(torn));
}

// No death of a process leaves that: which plans it answered is not known any more.
TEST_F(Return, ADamagedNoteOfAPlanIsNamedAndCanBeTakenAway) {
  const std::string note = noted_plan();
  leave();
  const auto plans = one_of("plans-");
  put(plans, note.substr(0, 40) + note);
  run_.start_client(kLast);
  const auto ended = run_.wait_client(kLast);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr(plans.filename().string() + " is damaged"));
  put(plans, "");
  come_back();
  expect_end();
}

TEST_F(Return, AFolderWithNothingButKeysComesBackToo) {
  leave();
  std::filesystem::remove_all(state());
  come_back();
  expect_end();
}

TEST_F(Return, ADamagedCheckpointIsNamedAndCanBeRestored) {
  leave();
  const auto file = state() / "client.ckpt";
  const std::string whole = contents_of(file);
  std::string bytes = whole;
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  put(file, bytes);
  run_.start_client(kLast);
  const auto ended = run_.wait_client(kLast);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("client.ckpt"));
  put(file, whole);
  come_back();
  expect_end();
}

TEST(Begin, AServerThatCannotBeginTellsItsClientsWhy) {
  Rehearsal run({"model.hidden=[16]"});  // found out when all have come
  run.start();
  for (int n = 0; n < Rehearsal::kClients; ++n) {
    const auto ended = run.wait_client(n);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, ErrorCode::kRefused);
    EXPECT_THAT(ended.error().message, HasSubstr("model.hidden = [16] cannot be used"));
  }
  EXPECT_FALSE(run.wait().server);
}

}  // namespace
}  // namespace fedvs::party::testing
