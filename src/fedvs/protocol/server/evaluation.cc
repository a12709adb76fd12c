// Evaluations between epochs: all rows of a part, chunk by chunk, with the same models.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

// Evaluation names the versions that the next training plan would; the last one waits for the fresh
// models of everybody who lives.
Tasks Server::start_evaluation(double now, data::Part part) {
  const bool last = course_.finished_epochs >= agreement_.epochs || course_.stop_after_epoch;
  ask_for_shares(now, /*all_groups=*/last);
  using Choice = VersionPolicy::Choice;
  const Choice usual =
      agreement_.late_models == LateModels::kDrop ? Choice::kOnlyHeld : Choice::kNormal;
  course_.evaluation =
      EvaluationPass{.part = part,
                     .chunks = evaluation_chunks(agreement_, part),
                     .versions = policy_.name(course_.round, last ? Choice::kFresh : usual),
                     .frozen = policy_.frozen()};
  learner_.start(part);
  open_.started = now;
  waits_.span = waits_.soft_deadline();
  if (course_.evaluation->chunks.empty()) return finish_evaluation(now);
  return next_chunk(now);
}

Tasks Server::next_chunk(double now) {
  waits_.hope(now);
  auto rows = course_.evaluation->chunks[course_.evaluation->next++];
  return issue(now, course_.evaluation->part, std::move(rows), course_.evaluation->versions,
               course_.evaluation->frozen);
}

Tasks Server::finish_evaluation(double now) {
  const data::Part part = course_.evaluation->part;
  const bool last = course_.finished_epochs >= agreement_.epochs || course_.stop_after_epoch;
  EvaluationRecord record{.epoch = course_.finished_epochs,
                          .round = course_.round,
                          .at = course_.training_ended,
                          .part = part,
                          .metrics = {},
                          .versions = course_.evaluation->versions,
                          .last = last};
  const bool has_rows = agreement_.rows[static_cast<int>(part)] > 0;
  if (const auto metrics = has_rows ? learner_.metrics(part) : std::nullopt) {
    record.metrics = *metrics;
    observer_.on_evaluation(record);
    if (part == data::Part::kValidation) note_validation(record.metrics.loss);
  }
  if (course_.patience.ended_after != 0 && course_.patience.ended_after == course_.finished_epochs)
    course_.stop_after_epoch = true;
  course_.evaluation.reset();
  if (part == data::Part::kValidation) return start_evaluation(now, data::Part::kTest);
  if (last) {
    phase_.enter(Phase::kDone);
    waits_.deadline = kNever;
    return {};
  }
  return train_on(now);
}

void Server::note_validation(double loss) {
  if (!course_.patience.is_lost(loss, settings_.patience) || course_.stop_after_epoch) return;
  course_.stop_after_epoch = true;
  course_.patience.ended_after = course_.finished_epochs;
  observer_.on_note(
      fmt::format("stopped early after epoch {}: {} evaluations without a better validation loss",
                  course_.finished_epochs, settings_.patience));
}

void Server::restore_patience(double best, int waited) {
  course_.patience.best_loss = best;
  course_.patience.without_gain = waited;
}

// Chunks opened so far keep their predictions; the rest are opened with older models. A chunk that
// was abandoned cannot be opened with other versions in this epoch and keeps no prediction.
Tasks Server::restart_evaluation(double now, std::vector<std::optional<Version>> versions) {
  course_.evaluation->versions = std::move(versions);
  course_.evaluation->frozen = policy_.frozen();
  if (course_.evaluation->next >= course_.evaluation->chunks.size()) return finish_evaluation(now);
  return next_chunk(now);
}

}  // namespace fedvs::protocol
