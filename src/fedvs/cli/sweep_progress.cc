#include "fedvs/cli/sweep_progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "fedvs/base/human.h"

namespace fedvs::cli {
namespace {

constexpr double kPlainPause = 60;  // seconds

}  // namespace

SweepProgress::SweepProgress(bool quiet) : line_(quiet, kPlainPause) {}

void SweepProgress::on_ended(const experiments::Trial& trial, const nlohmann::json& result) {
  ++state_.done;  // as the next on_state() will say
  line_.line(fmt::format("[{}/{}] {}: {:.2f} % in {}", state_.done, state_.total, trial.name,
                         100 * result.value("test_accuracy", 0.0),
                         human_seconds(result.value("sweep_seconds", 0.0))));
}

void SweepProgress::on_failed(const experiments::Trial& trial, const std::string& why) {
  ++state_.done;
  line_.line(fmt::format("[{}/{}] {} failed: {}", state_.done, state_.total, trial.name, why));
}

void SweepProgress::on_state(const experiments::SweepState& state) {
  state_ = state;
  if (!line_.due()) return;
  line_.show(fmt::format(
      "{} {}/{} runs  left {}  running: {}",
      line_.terminal() ? bar(state.share) : fmt::format("{:3.0f} %", 100 * state.share), state.done,
      state.total, human_seconds(state.seconds_left), fmt::join(state.running, ", ")));
}

}  // namespace fedvs::cli
