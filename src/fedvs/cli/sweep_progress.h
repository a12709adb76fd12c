// A sweep as it goes: one bar over all of it on a terminal, a line per run elsewhere.
#pragma once
#include "fedvs/cli/live_line.h"
#include "fedvs/study/sweep.h"

namespace fedvs::cli {

class SweepProgress final : public study::SweepWatcher {
 public:
  explicit SweepProgress(bool quiet);
  void line(const std::string& text) { line_.line(text); }

  void on_ended(const study::Trial& trial, const nlohmann::json& result) override;
  void on_failed(const study::Trial& trial, const std::string& why) override;
  void on_state(const study::SweepState& state) override;

 private:
  LiveLine line_;
  study::SweepState state_;  // the last one
};

}  // namespace fedvs::cli
