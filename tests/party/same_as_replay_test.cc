// Whatever happens to a run, it has learned from the plans that it recorded and from nothing else:
// a replay of them in the clear, from the same seed, has the same losses to the last bit.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "fedvs/base/bytes.h"
#include "tests/party/networked_run.h"
#include "tests/party/recorded_run.h"
#include "tests/store/scratch_folder.h"

namespace fedvs {
namespace {

using nlohmann::json;
using testing::NetworkedRun;
using testing::Sets;

// Eight clients, T = 1, K = 2: R = 5, and two groups of four once they are formed.
Sets eight_clients(int epochs, const std::string& late_models) {
  return {"data.name=synthetic",
          "data.rows=1500",
          "data.features=24",
          "data.clients=8",
          "data.classes=3",
          "model.width=8",
          "model.hidden=[12,8]",
          "train.batch_size=40",
          "train.epochs=" + std::to_string(epochs),
          "train.evaluate_every=2",
          "train.lr_decay=0.9",
          "code.K=2",
          "protocol.late_models=" + late_models,
          "sim.delays=none",
          "sim.seed=3"};
}

int age_of(const json& round, int client) {
  return round["model_age"][static_cast<std::size_t>(client)].get<int>();
}

class SameAsReplay : public ::testing::Test {
 protected:
  // Stops the client until its model is so many rounds old, lets it go on, and waits until a model
  // that it made since is in a sum.
  static void hold_up(NetworkedRun& run, int client, int rounds) {
    run.client(client).send(SIGSTOP);
    ASSERT_TRUE(run.wait_until([&] { return age_of(run.rounds().back(), client) >= rounds; }));
    run.client(client).send(SIGCONT);
    const std::size_t released = run.rounds().size();
    ASSERT_TRUE(run.wait_until([&] {
      const auto now = run.rounds();
      return now.size() - static_cast<std::size_t>(age_of(now.back(), client)) > released;
    }));
  }

  // With models of some clients at least three rounds older than those of others.
  static std::size_t rounds_with_ages_apart(const std::vector<json>& rounds) {
    return static_cast<std::size_t>(std::ranges::count_if(rounds, [](const json& round) {
      const auto ages = round["model_age"].get<std::vector<int>>();
      const auto [least, most] = std::ranges::minmax(ages);
      return most - least >= 3;
    }));
  }

  // Rounds before the first one whose rows were not the next of their epoch: those are what a run
  // without any trouble learns. How many there are.
  std::size_t expect_simulated_until_rows_are_left_out(const Sets& sets,
                                                       const std::vector<json>& rounds) const {
    const auto out = folder_ / "simulated";
    testing::run_program(folder_.path(),
                         testing::with_sets({"train", "--no-report", "--out", out.string()}, sets));
    const auto simulated = testing::rounds_of(testing::events_of(out));
    const auto rows = [](const json& round) { return std::pair(round["epoch"], round["batch"]); };
    std::size_t same = 0;
    for (; same < rounds.size() && rows(rounds[same]) == rows(simulated[same]); ++same) {
      EXPECT_EQ(rounds[same]["loss"].dump(), simulated[same]["loss"].dump()) << same + 1;
    }
    return same;
  }

  static void expect_final_test(const std::vector<json>& events, testing::PlaintextTwin& twin) {
    const auto last = std::find_if(events.rbegin(), events.rend(),
                                   [](const json& e) { return e["event"] == "test"; });
    ASSERT_NE(last, events.rend());
    const auto metrics = twin.final_metrics((*last)["model_age"].get<std::vector<int>>());
    EXPECT_EQ((*last)["loss"].get<double>(), metrics.loss);
    EXPECT_EQ((*last)["accuracy"].get<double>(), metrics.accuracy);
  }

  ScratchFolder folder_;
};

TEST_F(SameAsReplay, ReuseWithClientsThatAreHeldUp) {
  const Sets sets = eight_clients(/*epochs=*/12, "reuse");
  NetworkedRun run(folder_.path(), sets, FEDVS_SEEDED_PROGRAM);
  run.start();
  ASSERT_TRUE(run.wait_for_rounds(20));  // groups have been formed
  // When three clients are held up, one after the other,
  for (int client : {1, 4, 6}) hold_up(run, client, /*rounds=*/8);
  run.expect_complete();
  // Then rounds were opened with old models, and the replay of all is the run.
  const auto rounds = run.rounds();
  EXPECT_GE(rounds_with_ages_apart(rounds), 6u);
  testing::ReplayStage stage(sets);
  EXPECT_EQ(stage.twin().replay(stage.records(rounds)), testing::losses_of(rounds));
  expect_final_test(run.events(), stage.twin());
  std::cout << rounds.size() << " rounds are the same, " << rounds_with_ages_apart(rounds)
            << " of them with models of ages far apart\n";
}

TEST_F(SameAsReplay, WaitWithAClientAndThenTheServerKilled) {
  const Sets sets = eight_clients(/*epochs=*/8, "wait");
  NetworkedRun run(folder_.path(), sets, FEDVS_SEEDED_PROGRAM);
  run.start();
  ASSERT_TRUE(run.wait_for_rounds(20));
  // When a client is killed and started again,
  const std::size_t client_killed = run.rounds().size();
  run.kill_client(2);
  run.start_client(2);
  ASSERT_TRUE(run.wait_for_rounds(client_killed + 20));
  // and then the server,
  run.kill_server();
  run.start_server();
  run.expect_complete();
  // Then what it has learned is the replay: a server that comes back has lost nothing.
  const auto rounds = run.rounds();
  const auto events = run.events();
  const auto back = std::ranges::find_if(events, [](const json& event) {
    return event["event"] == "note" &&
           event["text"].get<std::string>().starts_with("the server is back");
  });
  ASSERT_NE(back, events.end());
  const auto before = (*back)["round"].get<std::size_t>();
  ASSERT_GE(before, client_killed);
  ASSERT_LT(before, rounds.size());
  const std::vector<json> until_then(rounds.begin(),
                                     rounds.begin() + static_cast<std::ptrdiff_t>(before));
  const auto undisturbed = expect_simulated_until_rows_are_left_out(sets, until_then);
  EXPECT_GE(undisturbed, client_killed);
  testing::ReplayStage stage(sets);
  const auto records = stage.records(rounds);
  EXPECT_EQ(stage.twin().replay(records), testing::losses_of(rounds));
  expect_final_test(events, stage.twin());
  std::cout << rounds.size() << " rounds are the same; the client was killed after "
            << client_killed << ", the server after " << before << "; the first " << undisturbed
            << " are also those of a simulation\n";
}

}  // namespace
}  // namespace fedvs
