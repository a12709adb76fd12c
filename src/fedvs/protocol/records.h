// What the server tells about a run while it goes: one record per round and per evaluation.
#pragma once
#include <cstdint>
#include <memory>
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
  double started = 0, opened = 0;  // seconds
  double loss = 0;
  std::size_t samples = 0;
};

struct EvaluationRecord {
  int epoch = 0;  // counted from 1: after that many epochs
  std::uint64_t round = 0;
  double at = 0;  // seconds, when its training ended
  data::Part part = data::Part::kTest;
  model::Metrics metrics;
  bool last = false;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_round(const RoundRecord&) {}
  virtual void on_evaluation(const EvaluationRecord&) {}
  virtual void on_groups(const Groups&) {}
  virtual void on_note(const std::string&) {}  // a death, a revision, a refusal
};

}  // namespace fedvs::protocol
