// The program that is installed takes no secret from the job's seed: it does not hold the code that
// would, and two of its runs of one job differ.
#include <gmock/gmock.h>

#include "tests/party/networked_run.h"
#include "tests/party/recorded_run.h"
#include "tests/store/scratch_folder.h"

namespace fedvs {
namespace {

using testing::NetworkedRun;
using testing::Sets;

bool holds(const std::string& program, const std::string& text) {
  return program.find(text) != std::string::npos;
}

// Names of classes are in a program, stripped or not, where they have virtual functions.
TEST(NoSeed, TheInstalledProgramHoldsFolderSecretsAndNoSeededOnes) {
  const std::string installed = contents_of(FEDVS_MAIN_PROGRAM);
  EXPECT_TRUE(holds(installed, "5fedvs5party12_GLOBAL__N_113FolderSecrets"));
  EXPECT_FALSE(holds(installed, "SeededPartySecrets"));
  EXPECT_FALSE(holds(installed, "a test's program"));
  // The check is not empty: the tests' program is the other way round.
  const std::string seeded = contents_of(FEDVS_SEEDED_PROGRAM);
  EXPECT_TRUE(holds(seeded, "SeededPartySecrets"));
  EXPECT_TRUE(holds(seeded, "a test's program"));
  EXPECT_FALSE(holds(seeded, "FolderSecrets"));
}

TEST(NoSeed, TheInstalledProgramLearnsOtherwiseThanTheSimulationOfItsJob) {
  const Sets sets = {"data.name=synthetic", "data.rows=200",   "data.features=8",
                     "data.clients=5",      "model.width=4",   "model.hidden=[6,5]",
                     "train.batch_size=40", "train.epochs=1",  "code.K=1",
                     "sim.seed=1",          "sim.delays=none", "protocol.late_models=wait"};
  const ScratchFolder folder;
  NetworkedRun run(folder.path(), sets, FEDVS_PROGRAM);
  run.start();
  const auto out = folder / "simulated";
  testing::run_program(folder.path(),
                       testing::with_sets({"train", "--no-report", "--out", out.string()}, sets));
  run.expect_complete();
  const auto simulated = testing::losses_of(testing::rounds_of(testing::events_of(out)));
  const auto networked = testing::losses_of(run.rounds());
  ASSERT_EQ(networked.size(), simulated.size());
  for (std::size_t i = 0; i < networked.size(); ++i) EXPECT_NE(networked[i], simulated[i]);
}

}  // namespace
}  // namespace fedvs
