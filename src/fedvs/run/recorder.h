// What a run leaves while it goes: events.jsonl, metrics.csv and the progress line.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fedvs/protocol/server/records.h"
#include "fedvs/run/events.h"
#include "fedvs/run/metrics_log.h"
#include "fedvs/run/progress.h"

namespace fedvs::run {

// The evaluation with the lowest validation loss so far.
struct BestEpoch {
  int epoch = 0;
  double validation_loss = 0;
  model::Metrics test;
};

// Carried over a stop and a resume.
struct RunTotals {
  std::uint64_t rounds = 0;  // trained
  double loss_sum = 0;       // of this epoch
  std::uint64_t loss_rounds = 0;
  double wall_seconds = 0;
  double wait_for_all_seconds = 0;  // what waiting for everybody would have taken
  double test_accuracy = 0, best_test_accuracy = 0, majority = 0;
  std::uint64_t late_uploads = 0, reused_models = 0, named_models = 0, revisions = 0;
  std::uint64_t idle_rounds = 0;  // from which no client learned
  bool finished = false;
  std::optional<BestEpoch> best;  // where there are validation rows
  std::string save() const;
  static Result<RunTotals> parse(const std::string& bytes);
};

class Recorder final : public protocol::Observer {
 public:
  explicit Recorder(Progress& progress) : progress_(progress) {}
  void attach(const protocol::RunView& run, EventLog events, MetricsLog metrics);

  void on_round(const protocol::RoundRecord& record) override;
  void on_evaluation(const protocol::EvaluationRecord& record) override;
  void on_groups(const protocol::Groups& groups) override;
  void on_note(const std::string& note) override;

  RunTotals& totals() { return totals_; }
  const RunTotals& totals() const { return totals_; }
  const std::optional<model::Metrics>& test_metrics() const { return test_; }
  int epoch() const { return epoch_; }  // of the last test
  // An epoch has ended since the last call: time for a checkpoint.
  bool take_epoch_ended() { return std::exchange(epoch_ended_, false); }
  // The evaluation that it ended with is the best so far: time to keep its models.
  bool take_best_ended() { return std::exchange(best_ended_, false); }
  bool take_round_ended() { return std::exchange(round_ended_, false); }
  const Status& status() const { return status_; }  // a full disk ends the run
  double wall_seconds() const;

 private:
  void keep(Status status);
  void note_best(const protocol::EvaluationRecord& test);
  void show(const protocol::RoundRecord& record);
  nlohmann::json round_event(const protocol::RoundRecord& record) const;

  Progress& progress_;
  const protocol::RunView* run_ = nullptr;
  std::optional<EventLog> events_;
  std::optional<MetricsLog> metrics_;
  RunTotals totals_;
  std::optional<model::Metrics> test_, validation_;
  int epoch_ = 0;
  bool epoch_ended_ = false, round_ended_ = false, best_ended_ = false;
  Status status_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace fedvs::run
