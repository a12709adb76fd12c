#include "tests/report/sample_run.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "fedvs/run/events.h"
#include "fedvs/run/metrics_log.h"
#include "fedvs/run/run_folder.h"

namespace fedvs::report {
namespace {

constexpr double kRoundSeconds = 0.5;
constexpr int kRoundsInEpoch = 5;

// In every seventh round one straggler answers and one of the others is late.
nlohmann::json round_event(int clients, int round) {
  const int fast = clients - clients / 2;
  const bool swapped = round % 7 == 0;
  std::vector<int> answered, late, ages;
  for (int n = 1; n <= clients; ++n) {
    const bool answers = swapped && (n == fast || n == clients) ? n == clients : n <= fast;
    (answers ? answered : late).push_back(n);
    ages.push_back(n <= fast || round <= 3 ? 0 : (round + n) % 6);
  }
  return {{"event", "round"},
          {"round", round},
          {"started", kRoundSeconds * (round - 1)},
          {"time", kRoundSeconds * round},
          {"answered", answered},
          {"late", late},
          {"model_age", ages},
          {"abandoned", round == 4 ? 1 : 0}};
}

run::MetricsRow metrics_row(int round) {
  return {.epoch = round / kRoundsInEpoch,
          .round = round,
          .virtual_seconds = kRoundSeconds * round,
          .wall_seconds = 0.01 * round,
          .train_loss = std::exp(-0.05 * round),
          .test_loss = 0.2 + std::exp(-0.04 * round),
          .test_accuracy = 0.9 - 0.4 * std::exp(-0.05 * round),
          .test_balanced_accuracy = 0.8,
          .test_f1 = 0.7,
          .majority = 0.5,
          .bytes_per_client = 250000L * round};
}

}  // namespace

void make_sample_run(const std::filesystem::path& folder, int clients, int rounds) {
  Job job;
  job.data.name = "synthetic";
  job.data.clients = clients;
  const auto run = run::RunFolder::create(folder, job).value();
  auto events = run::EventLog::create(run.events_file()).value();
  auto metrics = run::MetricsLog::create(run.metrics_file()).value();
  for (int round = 1; round <= rounds; ++round) {
    events.append(round_event(clients, round)).value();
    if (round == 4) {
      events.append({{"event", "note"}, {"round", 4}, {"text", "round 4: plan <revised>"}}).value();
    }
    if (round % kRoundsInEpoch == 0) metrics.append(metrics_row(round)).value();
  }
}

}  // namespace fedvs::report
