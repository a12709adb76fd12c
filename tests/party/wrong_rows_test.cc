// A client comes with the wrong file first: it is told and sent away, nobody notes anything, the
// others wait, and the right file is all that it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/party/rehearsal.h"

namespace fedvs::party::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kWrong = 5;

class WrongRows : public ::testing::Test {
 protected:
  data::PartyRows other_rows() const {
    auto rows = run_.rows_of(kWrong);
    rows.rows.ids.back() += "0";
    return rows;
  }
  void start_the_others() {
    for (int n = 0; n < Rehearsal::kClients; ++n) {
      if (n != kWrong) run_.start_client(n);
    }
  }
  void expect_sent_away(const std::string& reason, const std::string& in_notes) {
    const Status ended = run_.wait_client(kWrong);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, ErrorCode::kRefused);
    EXPECT_THAT(ended.error().message, HasSubstr(reason));
    EXPECT_TRUE(run_.diary().wait_for_note(in_notes)) << run_.log().text();
    for (int n = 0; n < Rehearsal::kClients; ++n) {
      const auto& folder = run_.trial().clients[static_cast<std::size_t>(n)];
      EXPECT_FALSE(std::filesystem::exists(folder / "state" / "terms")) << n;
      EXPECT_FALSE(std::filesystem::exists(folder / "state" / "client.ckpt")) << n;
    }
  }
  void expect_the_right_file_to_do() {
    run_.start_client(kWrong);
    const auto ending = run_.wait();
    EXPECT_TRUE(ending.server) << ending.server.error().message;
    for (const auto& client : ending.clients) EXPECT_TRUE(client) << client.error().message;
    EXPECT_GT(ending.rounds, 0u);
  }
  Rehearsal run_{{"train.epochs=1", "train.evaluate_every=1"}};
};

TEST_F(WrongRows, AreFoundInTheFirstHandshakeWhoeverComesFirst) {
  run_.start_server();
  run_.start_client(kWrong, other_rows(), "");
  expect_sent_away("the ids (or the columns part and subject) differ",
                   "client-6 holds 900 rows, but not the ids of the label file");
  start_the_others();
  expect_the_right_file_to_do();
}

}  // namespace
}  // namespace fedvs::party::testing
