// Rows that their owner shares anew: fetched again before training, refused after it began.
#include <gmock/gmock.h>

#include "tests/support/stage.h"

namespace fedvs {
namespace {

using protocol::SharingId;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::Stage;

constexpr int kAnew = 3;

SharingId id(std::uint8_t name) {
  SharingId made;
  made.bytes.fill(name);
  return made;
}

const std::vector<std::string> kSets = {"train.epochs=1"};

std::size_t chunks_of(Stage& stage, int holder, const SharingId& sharing) {
  std::size_t held = 0;
  protocol::for_each_chunk(stage.agreement(), [&](data::Part part, std::size_t first, std::size_t) {
    if (stage.client(holder).held_sharing(kAnew, part, first) == sharing) ++held;
  });
  return held;
}

TEST(Sharings, BeforeTrainingWhatOthersHoldOfAFormerOneIsFetchedAgain) {
  Stage stage(kSets);
  stage.sharing_of(kAnew) = id(1);
  stage.start();
  stage.run([&] { return chunks_of(stage, 0, id(1)) > 0; });
  ASSERT_FALSE(stage.server().training_started());
  // When it is started again with other rows, or another roster.
  stage.kill_client(kAnew);
  stage.sharing_of(kAnew) = id(2);
  stage.folder(kAnew) = {};
  stage.start_client(kAnew);
  stage.run_until_round(1);
  ASSERT_TRUE(stage.server().status()) << stage.server().status().error().message;
  for (int n = 0; n < stage.agreement().shape.parties; ++n) {
    EXPECT_EQ(chunks_of(stage, n, id(1)), 0u);
    EXPECT_GT(chunks_of(stage, n, id(2)), 0u);
  }
  stage.run();
  EXPECT_TRUE(stage.server().status());
}

TEST(Sharings, AnHonestServerTurnsAwayWhoSharesAnewInTraining) {
  Stage stage(kSets);
  stage.sharing_of(kAnew) = id(1);
  stage.start();
  stage.run_until_round(3);
  stage.kill_client(kAnew);
  stage.sharing_of(kAnew) = id(2);
  stage.start_client(kAnew);
  stage.run([&] { return !stage.recorder.notes.empty() && stage.client(kAnew).farewell(); });
  ASSERT_TRUE(stage.client(kAnew).farewell());
  EXPECT_THAT(stage.client(kAnew).farewell()->reason, HasSubstr("has shared its rows anew"));
  for (int n = 0; n < kAnew; ++n) EXPECT_TRUE(stage.client(n).refusals().empty());
}

TEST(Sharings, ClientsRefuseAServerThatLetsItInAndUploadNothingMore) {
  Stage stage(kSets);
  stage.start();
  stage.run_until_round(3);
  auto& client = stage.client(0);
  protocol::Welcome welcome = client.welcome();
  welcome.sharings[kAnew] = id(2);
  EXPECT_EQ(client.receive(protocol::make_message(welcome)).size(), 1u);
  EXPECT_THAT(client.refusals(), Contains(HasSubstr("client 4 has shared its rows anew after")));
  // Its upload is missing from now on, whatever the server does with the refusal.
  bool uploaded = false;
  stage.lose = [&](int from, int to, const protocol::Message& message) {
    uploaded = uploaded || (from == 0 && std::holds_alternative<protocol::Upload>(message));
    return from == 0 && to == protocol::kServer &&
           std::holds_alternative<protocol::Refusal>(message);
  };
  stage.run_until_round(5);
  EXPECT_TRUE(stage.server().status());
  EXPECT_FALSE(uploaded);
}

TEST(Sharings, AClientRemembersOverItsLivesWhichSharingsItTrainedWith) {
  Stage stage(kSets);
  stage.start();
  stage.run_until_round(5);
  stage.kill_client(0);
  stage.folder(0).rows.clear();  // all torn
  stage.lose = [&](int, int to, const protocol::Message& message) {
    return to == 0 && std::holds_alternative<protocol::Welcome>(message);
  };
  stage.start_client(0);
  auto& client = stage.client(0);
  stage.run([&] { return stage.client(1).welcome().clients[0] == client.incarnation(); });
  protocol::Welcome welcome = stage.client(1).welcome();
  ASSERT_EQ(welcome.clients[0], client.incarnation());
  welcome.sharings[kAnew] = id(2);
  client.receive(protocol::make_message(welcome));
  EXPECT_THAT(client.refusals(), Contains(HasSubstr("client 4 has shared its rows anew after")));
}

TEST(Sharings, RowsOfAnotherSharingThanTheWelcomesAreDropped) {
  Stage stage(kSets);
  stage.lose = [](int from, int to, const protocol::Message& message) {
    return from == kAnew && to == 0 && std::holds_alternative<protocol::DataShare>(message);
  };
  stage.start();
  stage.run([&] { return chunks_of(stage, 1, SharingId{}) > 0; });
  auto& client = stage.client(0);
  ASSERT_FALSE(client.welcome().clients.empty());
  const auto& a = stage.agreement();
  const std::size_t rows = protocol::chunk_rows(a, data::Part::kTrain, 0);
  client.receive(protocol::make_message(protocol::DataShare{
      .from = kAnew,
      .part = data::Part::kTrain,
      .first_row = 0,
      .values = std::make_shared<const field::RingMatrix>(a.ring, 1, rows * a.inputs(kAnew)),
      .sharing = id(9)}));
  EXPECT_FALSE(client.held_sharing(kAnew, data::Part::kTrain, 0));
  EXPECT_TRUE(client.refusals().empty()) << "the fault is not the server's";
}

}  // namespace
}  // namespace fedvs
