// A whole small job in one call, and an observer that keeps all it is told.
//   auto trial = make_world({"protocol.late_models=wait"});
//   trial->run();
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fedvs/data/catalog.h"
#include "fedvs/data/prepared.h"
#include "fedvs/job/parse.h"
#include "fedvs/sim/world.h"

namespace fedvs::testing {

class Recorder : public protocol::Observer {
 public:
  void on_round(const protocol::RoundRecord& record) override { rounds.push_back(record); }
  void on_evaluation(const protocol::EvaluationRecord& record) override {
    evaluations.push_back(record);
  }
  void on_groups(const protocol::Groups& formed) override { groups = formed; }
  void on_note(const std::string& note) override { notes.push_back(note); }

  std::vector<double> losses() const {
    std::vector<double> all;
    for (const auto& record : rounds) all.push_back(record.loss);
    return all;
  }

  std::vector<protocol::RoundRecord> rounds;
  std::vector<protocol::EvaluationRecord> evaluations;
  protocol::Groups groups;
  std::vector<std::string> notes;
};

using Sets = std::vector<std::string>;

inline Sets joined(Sets sets, const Sets& more) {
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

// Nine clients, T = 1, K = 2, so R = 5; three groups of three. 18 rounds of 20 samples.
inline Job small_job(const Sets& sets) {
  const Sets usual = {"data.name=synthetic", "data.rows=174",        "data.features=20",
                      "data.clients=9",      "data.classes=3",       "model.width=4",
                      "model.hidden=[6, 5]", "train.batch_size=20",  "train.epochs=3",
                      "train.lr=0.01",       "train.lr_client=0.05", "code.K=2"};
  return complete_job({.toml = std::nullopt, .sets = joined(usual, sets)}).value();
}

inline data::PreparedJob prepared(const Job& job) {
  return data::prepare(data::load(job.data).value(), job.data).value();
}

struct Trial {
  Job job;
  Recorder recorder;
  std::unique_ptr<sim::World> world;

  void run(const std::function<bool()>& stop = {}) { world->run(stop); }
  const std::vector<protocol::RoundRecord>& rounds() const { return recorder.rounds; }
  const std::vector<float>& probabilities() { return world->learner().probabilities(); }
  // Every plan that a client was sent, the abandoned ones and the evaluations' too, by revision.
  std::map<std::uint64_t, std::shared_ptr<const protocol::Plan>> plans;
  // Changes or loses (null) messages on their way; plans are recorded.
  void tamper(sim::Simulator::Tamper change = {}) {
    world->simulator().set_tamper(
        [this, change = std::move(change)](int from, int to, protocol::MessagePtr message) {
          const auto* step = std::get_if<protocol::Step>(message.get());
          if (step != nullptr && step->plan) plans[step->plan->revision] = step->plan;
          return change ? change(from, to, std::move(message)) : message;
        });
  }
  void lose_uploads_of(std::vector<int> clients) {
    tamper([clients = std::move(clients)](int from, int, protocol::MessagePtr message) {
      const bool lost = std::holds_alternative<protocol::Upload>(*message) &&
                        std::ranges::find(clients, from) != clients.end();
      return lost ? nullptr : message;
    });
  }
  void run_until_round(std::size_t count) {
    run([this, count] { return recorder.rounds.size() >= count; });
  }
};

inline std::unique_ptr<Trial> make_world(const Job& job, data::PreparedJob prepared) {
  auto trial = std::make_unique<Trial>();
  trial->job = job;
  trial->world = sim::World::create(job, std::move(prepared), trial->recorder).value();
  return trial;
}
inline std::unique_ptr<Trial> make_world(const Sets& sets) {
  const Job job = small_job(sets);
  return make_world(job, prepared(job));
}
inline std::unique_ptr<Trial> run_world(const Sets& sets) {
  auto trial = make_world(sets);
  trial->run();
  EXPECT_TRUE(trial->world->status()) << trial->world->status().error().message;
  return trial;
}

// How many rounds old the versions are that a plan names for each client (dropped ones: none).
inline std::vector<std::uint64_t> ages(const protocol::Plan& plan) {
  std::vector<std::uint64_t> all;
  for (const auto& version : plan.versions) {
    if (version) all.push_back(plan.round - version->step);
  }
  return all;
}
inline std::uint64_t oldest(const protocol::Plan& plan) {
  std::uint64_t most = 0;
  for (std::uint64_t age : ages(plan)) most = std::max(most, age);
  return most;
}

}  // namespace fedvs::testing
