// The run of processes over mTLS is the simulated run: the same job and seed give the same losses
// and accuracies, to the last bit, when nobody's model may be late.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>

#include "tests/party/networked_run.h"
#include "tests/party/recorded_run.h"
#include "tests/store/scratch_folder.h"

namespace fedvs {
namespace {

using testing::NetworkedRun;
using testing::Sets;

constexpr int kStoppedAndSaved = 3;

// Seven clients, T = 1, K = 2, so R = 5.
const Sets kSeven = {"data.name=synthetic",
                     "data.rows=1500",
                     "data.features=21",
                     "data.clients=7",
                     "data.classes=3",
                     "data.validation_share=0.2",
                     "model.width=8",
                     "model.hidden=[12,8]",
                     "train.batch_size=48",
                     "train.epochs=4",
                     "train.lr_decay=0.8",
                     "code.K=2",
                     "protocol.late_models=wait",
                     "sim.delays=none",
                     "sim.seed=11"};

class SameAsSimulated : public ::testing::Test {
 protected:
  static Sets joined(Sets sets, const Sets& more) {
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
  }
  // By the program as it is installed.
  std::vector<std::string> simulated(const Sets& sets) const {
    const auto out = folder_ / "simulated";
    testing::run_program(folder_.path(),
                         testing::with_sets({"train", "--no-report", "--out", out.string()}, sets));
    return testing::what_was_learned(testing::events_of(out));
  }
  static void expect_same(const std::vector<std::string>& networked,
                          const std::vector<std::string>& simulated) {
    ASSERT_GT(simulated.size(), 10u);
    for (std::size_t i = 0; i < std::min(networked.size(), simulated.size()); ++i) {
      ASSERT_EQ(networked[i], simulated[i]) << "event " << i + 1;
    }
    EXPECT_EQ(networked.size(), simulated.size());
    RecordProperty("events_compared", static_cast<int>(simulated.size()));
    std::cout << simulated.size() << " events are the same\n";
  }
  void expect_same_run(const Sets& sets) {
    NetworkedRun run(folder_.path(), sets, FEDVS_SEEDED_PROGRAM);
    run.start();
    const auto expected = simulated(sets);
    run.expect_complete();
    expect_same(testing::what_was_learned(run.events()), expected);
  }

  ScratchFolder folder_;
};

TEST_F(SameAsSimulated, SevenClientsLearnTheSame) { expect_same_run(kSeven); }

TEST_F(SameAsSimulated, SoDoEightInTheOtherRingWithTwoColludersAndSquares) {
  expect_same_run({"data.name=synthetic", "data.rows=900", "data.features=19", "data.clients=8",
                   "model.width=6", "model.degrees=[2]", "model.hidden=[9,7]",
                   "train.batch_size=40", "train.epochs=3", "train.client_optimizer=sgd",
                   "train.lr_client=0.05", "code.K=1", "code.T=2", "code.ring=m31",
                   "protocol.late_models=wait", "sim.delays=none", "sim.seed=5"});
}

TEST_F(SameAsSimulated, SoDoTheSixViewsOfHandwrittenDigits) {
  if (!std::filesystem::exists(data::folder_of(data::find_entry("handwritten").value()))) {
    GTEST_SKIP() << "FEDVS_DATA does not hold handwritten";
  }
  expect_same_run({"data.name=handwritten", "data.clients=6", "model.width=16",
                   "model.hidden=[32,16]", "train.epochs=2", "train.batch_size=128", "code.K=2",
                   "protocol.late_models=wait", "sim.delays=none", "sim.seed=2"});
}

TEST_F(SameAsSimulated, StoppingEverybodyAndStartingAgainChangesNothing) {
  const auto expected = simulated(kSeven);
  NetworkedRun run(folder_.path(), kSeven, FEDVS_SEEDED_PROGRAM);
  // Given a run that is stopped in its second epoch, the clients by the server,
  run.start();
  ASSERT_TRUE(run.wait_for_rounds(30));
  run.server().send(SIGTERM);
  ASSERT_EQ(run.server().wait().status, kStoppedAndSaved);
  for (int n = 0; n < run.clients(); ++n) {
    const auto ended = run.client(n).wait();
    EXPECT_EQ(ended.status, kStoppedAndSaved) << ended.err;
  }
  const std::size_t before = run.rounds().size();
  // When all start again, then the rest is what it would have been.
  run.start();
  run.expect_complete();
  EXPECT_GT(run.rounds().size(), before);
  expect_same(testing::what_was_learned(run.events()), expected);
}

}  // namespace
}  // namespace fedvs
