#include "fedvs/party/own_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fedvs::party {
namespace {

using ::testing::HasSubstr;

data::PartyRows table(float first_value = 1) {
  data::PartyRows rows;
  rows.rows.ids = {"a", "b"};
  rows.columns = {"age", "income", "debt"};
  rows.features.rows = 2;
  rows.features.cols = 3;
  rows.features.values = {first_value, 2, 3, 4, 5, 6};
  return rows;
}

seal::SecretKey key(std::uint8_t byte = 1) {
  Key256 bytes{};
  bytes[0] = byte;
  return seal::SecretKey::copy_of(bytes);
}

OwnRows to_train() { return {table(), key(), std::nullopt}; }
OwnRows to_score() { return {table(), key(), TrainedClient{}}; }

wire::RowsOffer offer_for(const OwnRows& rows, bool scores = false) {
  return {.row_ids = rows.ids(), .total_rows = rows.count(), .scores = scores};
}

std::string reason(const Status& status) { return status ? "" : status.error().message; }

TEST(OwnRows, TakesAnOfferOfTheSameRows) {
  EXPECT_TRUE(to_train().check(offer_for(to_train())));
  EXPECT_TRUE(to_score().check(offer_for(to_score(), /*scores=*/true)));
}

TEST(OwnRows, RefusesOtherRowsSayingHowTheyDiffer) {
  auto offer = offer_for(to_train());
  ++offer.total_rows;
  EXPECT_THAT(reason(to_train().check(offer)), HasSubstr("of 3 rows, this one of 2"));
  offer = offer_for(to_train());
  offer.row_ids[0] ^= 1;
  EXPECT_THAT(reason(to_train().check(offer)), HasSubstr("the ids (or the columns"));
  offer = offer_for(to_score(), /*scores=*/true);
  offer.row_ids[0] ^= 1;
  EXPECT_THAT(reason(to_score().check(offer)), HasSubstr("or the trainings do"));
}

TEST(OwnRows, RefusesAServerThatIsThereForSomethingElse) {
  EXPECT_THAT(reason(to_train().check(offer_for(to_train(), true))), HasSubstr("use --predict"));
  EXPECT_THAT(reason(to_score().check(offer_for(to_score(), false))), HasSubstr("leave out"));
}

TEST(OwnRows, RowsToScoreHaveOtherIdsThanTheSameRowsToTrain) {
  EXPECT_NE(to_train().ids(), to_score().ids());
}

TEST(OwnRows, DataIdFollowsTheTableAndTheKey) {
  EXPECT_EQ(to_train().data_id(), to_train().data_id());
  EXPECT_NE(OwnRows(table(9), key(), std::nullopt).data_id(), to_train().data_id());
  EXPECT_NE(OwnRows(table(), key(2), std::nullopt).data_id(), to_train().data_id());
  auto renamed = table();
  renamed.columns[0] = "ages";
  EXPECT_NE(OwnRows(renamed, key(), std::nullopt).data_id(), to_train().data_id());
}

TEST(OwnRows, KnowsWhatTheServerAsksOnceTheTableIsGone) {
  auto rows = to_train();
  const auto offer = offer_for(rows);
  rows.drop_table();
  EXPECT_TRUE(rows.table().rows.ids.empty());
  EXPECT_TRUE(rows.check(offer));
  EXPECT_EQ(rows.columns(), 3u);
}

}  // namespace
}  // namespace fedvs::party
