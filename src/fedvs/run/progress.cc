#include "fedvs/run/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/human.h"

namespace fedvs::run {
namespace {

constexpr double kPlainPause = 10;  // seconds

}  // namespace

Progress::Progress(bool quiet, std::string clock)
    : line_(quiet, kPlainPause), clock_(std::move(clock)), started_(Clock::now()) {}

std::string Progress::render(const State& s) const {
  const double elapsed = std::chrono::duration<double>(Clock::now() - started_).count(),
               made = s.done - done_at_start_;
  const double rate = static_cast<double>(s.round - round_at_start_) / std::max(elapsed, 1e-3);
  const std::string left =
      made > 0 ? human_seconds(elapsed * (1 - s.done) / made) : std::string("?");
  const std::string accuracy = s.accuracy < 0 ? "-" : fmt::format("{:.2f} %", 100 * s.accuracy);
  return fmt::format(
      "{} epoch {}/{}  round {}  loss {:.4f}  test {}  {:.0f} rounds/s  {} {}  late {}/{}  "
      "left {}",
      line_.terminal() ? bar(s.done) : fmt::format("{:3.0f} %", 100 * s.done), s.epoch, s.epochs,
      s.round, s.loss, accuracy, rate, clock_, human_seconds(s.virtual_seconds), s.late, s.clients,
      left);
}

void Progress::show(const State& state) {
  if (done_at_start_ < 0) {
    started_ = Clock::now();
    done_at_start_ = state.done;
    round_at_start_ = state.round;
    line_.restart();
  }
  if (line_.due()) line_.show(render(state));
}

void Progress::line(const std::string& text) { line_.line(text); }

}  // namespace fedvs::run
