// A sweep as it goes: one bar over all of it on a terminal, a line per run elsewhere.
#pragma once
#include "fedvs/experiments/sweep.h"
#include "fedvs/run/live_line.h"

namespace fedvs::cli {

class SweepProgress final : public experiments::SweepWatcher {
 public:
  explicit SweepProgress(bool quiet);
  void line(const std::string& text) { line_.line(text); }

  void on_ended(const experiments::Trial& trial, const nlohmann::json& result) override;
  void on_failed(const experiments::Trial& trial, const std::string& why) override;
  void on_state(const experiments::SweepState& state) override;

 private:
  run::LiveLine line_;
  experiments::SweepState state_;  // the last one
};

}  // namespace fedvs::cli
