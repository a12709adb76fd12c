// What the server tells about a run while it goes: one record per round and per evaluation.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/model/metrics.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::protocol {

struct RoundRecord {
  std::shared_ptr<const Plan> plan;
  std::vector<int> responders;     // whose uploads were opened
  std::vector<int> wrong;          // of them, found out and left out
  std::vector<bool> shared;        // who was asked to share the version of this step
  int abandoned = 0;               // plans of this round that were revised
  std::size_t batch = 0;           // of the epoch's, from 1: which rows, given the batch seed
  double started = 0, opened = 0;  // seconds
  double loss = 0;
  std::size_t samples = 0;
  bool idle = false;  // every group stands still: no client learned from it
};

struct EvaluationRecord {
  int epoch = 0;  // counted from 1: after that many epochs
  std::uint64_t round = 0;
  double at = 0;  // seconds, when its training ended
  data::Part part = data::Part::kTest;
  model::Metrics metrics;
  std::vector<std::optional<Version>> versions = {};  // per client; none: left out
  bool last = false;
};

// What whoever records a run may ask about it while it goes.
class RunView {
 public:
  virtual ~RunView() = default;
  virtual int client_count() const = 0;
  virtual int epochs() const = 0;
  virtual std::uint64_t rounds_per_epoch() const = 0;
  // Seconds since the first round; records carry times of the clock.
  virtual double training_seconds(double at) const = 0;
  virtual double bytes_per_client() const = 0;  // sent and received, evaluation not counted
  // What a round of `samples` takes that waits for all N embeddings, in plain split learning; 0
  // where nobody knows.
  virtual double wait_for_all(std::uint64_t round, std::size_t samples) const = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_round(const RoundRecord&) {}
  virtual void on_evaluation(const EvaluationRecord&) {}
  virtual void on_groups(const Groups&) {}
  virtual void on_note(const std::string&) {}  // a death, a revision, a refusal
  virtual void on_warning(const std::string& note) { on_note(note); }  // somebody has to act
};

}  // namespace fedvs::protocol
