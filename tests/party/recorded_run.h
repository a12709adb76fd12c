// A run's events as a replay takes them, and what must be equal in two runs of the same models.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fedvs/data/catalog.h"
#include "fedvs/data/prepared.h"
#include "fedvs/job/parse.h"
#include "fedvs/protocol/server/batch_schedule.h"
#include "tests/support/plaintext_twin.h"

namespace fedvs::testing {

// What was learned, as printed: of a round its number, rows and loss; of an evaluation all but
// when.
inline std::vector<std::string> what_was_learned(const std::vector<nlohmann::json>& events) {
  std::vector<std::string> learned;
  for (const auto& event : events) {
    nlohmann::json kept;
    for (const char* key : {"event", "round", "epoch", "batch", "samples", "model_age", "loss",
                            "accuracy", "balanced_accuracy", "f1", "majority"}) {
      if (event.contains(key)) kept[key] = event[key];
    }
    if (event["event"] != "note" && event["event"] != "groups") learned.push_back(kept.dump());
  }
  return learned;
}

inline std::vector<double> losses_of(const std::vector<nlohmann::json>& rounds) {
  std::vector<double> losses;
  for (const auto& round : rounds) losses.push_back(round["loss"].get<double>());
  return losses;
}

// The job of a run, its data as one process loads them, and a twin to replay it with.
class ReplayStage {
 public:
  explicit ReplayStage(const std::vector<std::string>& sets)
      : job_(complete_job({.toml = std::nullopt, .sets = sets}).value()),
        prepared_(data::prepare(data::load(job_.data).value(), job_.data).value()),
        agreement_(agreement()),
        twin_(job_, prepared_, agreement_) {}

  PlaintextTwin& twin() { return twin_; }

  // Every client rounds every step, asked or not, which changes nothing while nothing is projected.
  std::vector<protocol::RoundRecord> records(const std::vector<nlohmann::json>& rounds) const {
    std::vector<protocol::RoundRecord> records;
    for (const auto& round : rounds) {
      protocol::RoundRecord record;
      record.plan = std::make_shared<const protocol::Plan>(plan_of(round));
      record.shared.assign(prepared_.clients.size(), true);
      records.push_back(std::move(record));
    }
    return records;
  }

 private:
  protocol::Agreement agreement() const {
    std::vector<int> features;
    for (const auto& client : prepared_.clients) {
      features.push_back(static_cast<int>(client.features[0].cols));
    }
    const auto& labels = prepared_.labels;
    return protocol::agree(job_, features, {labels[0].size(), labels[1].size(), labels[2].size()},
                           prepared_.classes)
        .value();
  }

  protocol::Plan plan_of(const nlohmann::json& round) const {
    protocol::BatchSchedule schedule(agreement_, static_cast<std::uint64_t>(job_.sim.seed));
    schedule.restore(round["epoch"].get<int>() - 1, round["batch"].get<std::size_t>() - 1);
    protocol::Plan plan;
    plan.round = round["round"].get<std::uint64_t>() - 1;
    plan.epoch = round["epoch"].get<int>() - 1;
    plan.rows = schedule.take().rows;
    for (const auto& age : round["model_age"]) {
      plan.versions.emplace_back();
      if (age.get<int>() < 0) continue;  // left out
      plan.versions.back() = protocol::Version{plan.round - age.get<std::uint64_t>(), {}};
    }
    return plan;
  }

  Job job_;
  data::PreparedJob prepared_;
  protocol::Agreement agreement_;
  PlaintextTwin twin_;
};

}  // namespace fedvs::testing
