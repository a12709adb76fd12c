#include "fedvs/party/door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/party/folders.h"

namespace fedvs::party::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DoorTest : public ::testing::Test {
 protected:
  wire::Introduction introduction(int client, std::uint32_t features = 4) const {
    return {.job_digest = server_.job_digest,
            .roster_digest = deploy::fingerprint(server_.roster),
            .name = server_.roster.clients[static_cast<std::size_t>(client)].name,
            .features = features,
            .rows = 100,
            .data_id = {1, 2, 3}};
  }
  static Status come(Door& door, int client, const wire::Introduction& said) {
    FEDVS_TRY_STATUS(door.introduce(client, said));
    return door.answer(client, {.same = true});
  }
  std::string reason(int client, const wire::Introduction& said) {
    const auto known = come(door_, client, said);
    if (known) return "it was let in";
    EXPECT_EQ(known.error().code, ErrorCode::kRefused);
    return known.error().message;
  }
  void all_come() {
    for (int n = 0; n < 3; ++n) {
      ASSERT_TRUE(come(door_, n, introduction(n, 4 + static_cast<std::uint32_t>(n))));
    }
  }

  Folders folders_{3};
  const deploy::ServerFolder server_ = folders_.server();
  const ServerRows rows_{.parts = {70, 0, 30}, .total = 100, .ids = {9}, .classes = 2};
  Door door_{server_, rows_};
};

TEST_F(DoorTest, IsCompleteOnceAllHaveComeAndThenKnowsTheTerms) {
  EXPECT_THAT(door_.missing(), ElementsAre(0, 1, 2));
  ASSERT_TRUE(come(door_, 1, introduction(1)));
  EXPECT_THAT(door_.missing(), ElementsAre(0, 2));
  ASSERT_TRUE(come(door_, 0, introduction(0)));
  ASSERT_TRUE(come(door_, 2, introduction(2)));
  EXPECT_TRUE(door_.complete());
  const auto terms = door_.terms({7});
  EXPECT_THAT(terms.features, ElementsAre(4, 4, 4));
  EXPECT_EQ(terms.rows, rows_.parts);
  EXPECT_EQ(terms.total_rows, 100u);
  EXPECT_EQ(terms.row_ids, rows_.ids);
}

TEST_F(DoorTest, SaysWhatIsWrong) {
  const auto wrong = [&](auto edit) {
    auto said = introduction(1);
    edit(said);
    return reason(1, said);
  };
  EXPECT_THAT(wrong([](auto& said) { ++said.protocol_version; }),
              HasSubstr("this server speaks 3"));
  EXPECT_THAT(wrong([](auto& said) { said.name = "client-1"; }),
              HasSubstr("\"client-1\" has shown the certificate of \"client-2\""));
  EXPECT_THAT(wrong([](auto& said) { said.job_digest[31] ^= 1; }), HasSubstr("another job"));
  EXPECT_THAT(wrong([](auto& said) { said.roster_digest[0] ^= 1; }), HasSubstr("another roster"));
  EXPECT_THAT(wrong([](auto& said) { said.rows = 99; }),
              HasSubstr("has 99 rows, the server's file has 100"));
  EXPECT_THAT(wrong([](auto& said) { said.features = 0; }), HasSubstr("no features"));
  EXPECT_THAT(door_.missing(), ElementsAre(0, 1, 2)) << "who is refused has not come";
}

TEST_F(DoorTest, WhoHasOtherRowIdsHasNotCome) {
  ASSERT_TRUE(door_.introduce(1, introduction(1)));
  EXPECT_EQ(door_.offer(), (wire::RowsOffer{.row_ids = rows_.ids, .total_rows = 100}));
  EXPECT_THAT(door_.missing(), ElementsAre(0, 1, 2)) << "it has not answered";
  const auto answered = door_.answer(1, {.same = false});
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, ErrorCode::kRefused);
  EXPECT_THAT(answered.error().message,
              HasSubstr("client-2 holds 100 rows, but not the ids of the label file"));
  EXPECT_THAT(door_.missing(), ElementsAre(0, 1, 2));
  EXPECT_FALSE(door_.answer(1, {.same = true})) << "it has not been asked again";
}

TEST_F(DoorTest, UntilRowsAreSharedAnotherFileWillDo) {
  all_come();
  door_.forget(1);
  EXPECT_THAT(door_.missing(), ElementsAre(1));
  EXPECT_EQ(reason(1, introduction(1, 9)), "it was let in");
  EXPECT_THAT(door_.terms({7}).features, ElementsAre(4, 9, 6));
  door_.settle();
  door_.forget(1);
  EXPECT_TRUE(door_.complete()) << "it is only away";
}

TEST_F(DoorTest, WhoComesAgainMustHaveTheSameData) {
  all_come();
  door_.settle();
  EXPECT_EQ(reason(1, introduction(1, 5)), "it was let in");
  EXPECT_THAT(reason(1, introduction(1, 4)), HasSubstr("other data"));
  auto other = introduction(1, 5);
  other.data_id[0] ^= 1;
  EXPECT_THAT(reason(1, other), HasSubstr("other data or another data key"));
}

TEST_F(DoorTest, RemembersWhoHasComeOverARestart) {
  all_come();
  Door again(server_, rows_);
  ASSERT_TRUE(again.restore(door_.save()));
  again.settle();
  EXPECT_TRUE(again.complete());
  EXPECT_EQ(again.terms({7}), door_.terms({7}));
  EXPECT_FALSE(again.introduce(2, introduction(2, 5)));
  EXPECT_TRUE(again.introduce(2, introduction(2, 6)));
}

TEST_F(DoorTest, RemembersWhoHasNotComeEither) {
  ASSERT_TRUE(come(door_, 1, introduction(1)));
  Door again(server_, rows_);
  ASSERT_TRUE(again.restore(door_.save()));
  EXPECT_THAT(again.missing(), ElementsAre(0, 2));
}

TEST_F(DoorTest, NotesOfOtherLabelsOrCutOffAreRefused) {
  all_come();
  const std::string saved = door_.save();
  auto rows = rows_;
  rows.ids[3] ^= 1;
  const auto other = Door(server_, rows).restore(saved);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kRefused);
  EXPECT_THAT(other.error().message, HasSubstr("labels are of other rows"));
  for (std::size_t size = 0; size < saved.size(); ++size) {
    EXPECT_FALSE(Door(server_, rows_).restore(saved.substr(0, size))) << size;
  }
  EXPECT_FALSE(Door(server_, rows_).restore(saved + "x"));
}

}  // namespace
}  // namespace fedvs::party::testing
