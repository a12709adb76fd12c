// The shortest whole run of parties over the loopback: the one that sanitizers take part in.
#include <gmock/gmock.h>

#include "tests/party/rehearsal.h"

namespace fedvs::party::testing {
namespace {

// Four clients: R = Q = 3.
TEST(ShortRun, FourClientsTrainOverMutualTlsAndEverybodyEndsWell) {
  Rehearsal run({"data.clients=4", "data.rows=400", "train.epochs=2"});
  run.start();
  const auto over = run.wait();
  EXPECT_TRUE(over.server) << over.server.error().message << run.log().text();
  ASSERT_EQ(over.clients.size(), 4u);
  for (const auto& client : over.clients) {
    EXPECT_TRUE(client) << client.error().message << run.log().text();
  }
  EXPECT_GT(over.rounds, 0u);
  EXPECT_GT(over.accuracy, 0.5);  // of two classes
  EXPECT_EQ(run.log().count("refuses"), 0u) << run.log().text();
}

}  // namespace
}  // namespace fedvs::party::testing
