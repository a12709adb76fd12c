// A job that only the server can see to be wrong ends everybody at once, with the reason.
#include <gmock/gmock.h>

#include "tests/party/networked_run.h"
#include "tests/store/scratch_folder.h"

namespace fedvs {
namespace {

using ::testing::HasSubstr;

TEST(BadJob, EndsServerAndClientsWithTheReason) {
  // Given a job whose central model lacks a layer, which its data's classes are needed to see,
  const ScratchFolder folder;
  testing::NetworkedRun run(folder.path(),
                            {"data.name=synthetic", "data.rows=200", "data.features=8",
                             "data.clients=5", "model.hidden=[6]", "code.K=1"},
                            FEDVS_PROGRAM);
  // When all have come, then nobody waits for what cannot be.
  run.start();
  const std::string reason = "model.hidden = [6] cannot be used";
  const auto server = run.server().wait();
  EXPECT_NE(server.status, 0);
  EXPECT_THAT(server.err, HasSubstr(reason));
  for (int n = 0; n < run.clients(); ++n) {
    const auto client = run.client(n).wait();
    EXPECT_NE(client.status, 0);
    EXPECT_THAT(client.err, HasSubstr("the server refuses: " + reason)) << n + 1;
  }
}

}  // namespace
}  // namespace fedvs
