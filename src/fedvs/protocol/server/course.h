// Where the run stands: epochs, rounds and evaluations, and what decides when it ends.
#pragma once
#include <optional>
#include <vector>

#include "fedvs/protocol/server/batch_schedule.h"
#include "fedvs/protocol/server/learner.h"
#include "fedvs/protocol/server/patience.h"
#include "fedvs/protocol/timer.h"

namespace fedvs::protocol {

// One pass over the rows of a part, chunk by chunk, with the same models throughout.
struct EvaluationPass {
  data::Part part;
  std::vector<std::vector<std::size_t>> chunks;
  std::size_t next = 0;
  std::vector<std::optional<Version>> versions;  // one vector for all chunks
  std::vector<bool> frozen;                      // as it was when they were named

  bool has_more() const { return next < chunks.size(); }
};

// Rounds from which nobody learns, since every group lacks somebody.
struct Idleness {
  bool learned_in_epoch = false;  // some client, in the epoch of now
  bool said = false;              // the operator was told, and no client has learned since
  std::uint64_t rounds = 0;
  int epochs = 0;
  bool stood_by = false;  // when the server that this one goes on from was saved
  Timer since;            // the server stands by
};

struct Course {
  Course(const Agreement& agreement, std::uint64_t batch_seed) : schedule(agreement, batch_seed) {}

  BatchSchedule schedule;
  std::uint64_t round = 0;     // gradients made
  std::uint64_t revision = 0;  // of the next plan
  std::uint64_t openings = 0;  // sums, of training and evaluation
  int finished_epochs = 0;
  double training_ended = 0;  // when the last epoch's rounds were over
  std::optional<EvaluationPass> evaluation;
  bool stop_after_round = false;  // with kStopped: somebody asks the server to
  bool stop_after_epoch = false;  // as if it were the last: patience is lost
  bool said_clipped = false;      // that gradients are cut to train.gradient_clip
  Patience patience;
  Idleness idleness;
};

}  // namespace fedvs::protocol
