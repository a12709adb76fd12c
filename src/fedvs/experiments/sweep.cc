#include "fedvs/experiments/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "fedvs/base/proc.h"
#include "fedvs/experiments/time_left.h"
#include "fedvs/experiments/trial_process.h"
#include "fedvs/run/machine.h"

namespace fedvs::experiments {
namespace {

constexpr std::chrono::milliseconds kPause{30};

class Sweep {
 public:
  Sweep(const Folder& folder, std::vector<Trial> trials, const SweepOptions& options,
        SweepWatcher& watcher)
      : folder_(folder), options_(options), watcher_(watcher), total_(trials.size()) {
    std::ranges::stable_sort(trials, std::ranges::greater(), &Trial::seconds);
    for (auto& trial : trials) {
      expected_ += trial.seconds;
      if (folder_.has_result(trial.name)) {
        over_ += trial.seconds;
        ++done_;
      } else {
        waiting_.push_back(std::move(trial));
      }
    }
  }

  Result<SweepEnd> run() {
    while (!running_.empty() || (!waiting_.empty() && !stopping_)) {
      if (const Status status = step(); !status) {
        stop_all();
        drain();
        return status.error();
      }
      watcher_.on_state(state());
      std::this_thread::sleep_for(kPause);
    }
    if (stopping_ && (stopped_ > 0 || !waiting_.empty())) {
      return Error{ErrorCode::kStopped, fmt::format("{} of {} runs have ended", done_, total_)};
    }
    return std::move(end_);
  }

 private:
  Status step() {
    if (!stopping_ && options_.stop && options_.stop()) stop_all();
    FEDVS_TRY_STATUS(poll_all());
    while (!stopping_ && !waiting_.empty() &&
           running_.size() < static_cast<std::size_t>(std::max(1, options_.jobs))) {
      FEDVS_TRY(TrialProcess process,
                TrialProcess::start(folder_, std::move(waiting_.front()), options_.program));
      waiting_.pop_front();
      running_.push_back(std::make_unique<TrialProcess>(std::move(process)));
    }
    return {};
  }

  Status poll_all() {
    for (std::size_t i = 0; i < running_.size();) {
      FEDVS_TRY(const auto ended, running_[i]->poll());
      if (!ended) {
        ++i;
        continue;
      }
      take(*running_[i], *ended);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return {};
  }

  void take(const TrialProcess& process, const TrialProcess::Ended& ended) {
    const Trial& trial = process.trial();
    if (ended.stopped) {
      ++stopped_;
      return;
    }
    ++done_;
    over_ += trial.seconds;
    if (!ended.failure.empty()) {
      end_.failed.push_back({trial.name, ended.failure});
      watcher_.on_failed(trial, ended.failure);
      return;
    }
    ++end_.ran;
    time_left_.ended(trial.seconds, process.seconds());
    watcher_.on_ended(trial, ended.result);
  }

  void stop_all() {
    stopping_ = true;
    for (auto& process : running_) process->stop();
  }

  // After an error of this process: the runs under way save what they have.
  void drain() {
    while (!running_.empty()) {
      std::erase_if(running_, [](auto& process) {
        const auto ended = process->poll();
        return !ended || *ended;
      });
      std::this_thread::sleep_for(kPause);
    }
  }

  SweepState state() const {
    SweepState s{.done = done_, .total = total_, .running = {}};
    std::vector<Expected> unfinished;
    double over = over_;
    for (const auto& process : running_) {
      s.running.push_back(process->trial().name);
      unfinished.push_back({process->trial().seconds, process->seconds()});
      over += std::min(process->seconds(), process->trial().seconds);
    }
    for (const auto& trial : waiting_) unfinished.push_back({trial.seconds, 0});
    s.share = expected_ > 0 ? over / expected_ : 1;
    s.seconds_left = time_left_.estimate(unfinished, options_.jobs);
    return s;
  }

  const Folder& folder_;
  const SweepOptions& options_;
  SweepWatcher& watcher_;
  std::deque<Trial> waiting_;
  std::vector<std::unique_ptr<TrialProcess>> running_;
  std::size_t total_, done_ = 0, stopped_ = 0;
  double expected_ = 0, over_ = 0;
  bool stopping_ = false;
  TimeLeft time_left_;
  SweepEnd end_;
};

}  // namespace

Result<SweepEnd> sweep(const Folder& folder, std::vector<Trial> trials, const SweepOptions& options,
                       SweepWatcher& watcher) {
  for (const auto& trial : trials) FEDVS_TRY_STATUS(folder.adopt_ended(trial));
  return Sweep(folder, std::move(trials), options, watcher).run();
}

int default_jobs() {
  constexpr std::size_t kRun = 1'500'000'000;  // bytes: EMNIST, the largest of the built-in sets
  const std::size_t memory = free_memory_bytes();
  if (memory == 0) return run::cores();
  return std::clamp(static_cast<int>(memory / kRun), 1, run::cores());
}

}  // namespace fedvs::experiments
