#include "fedvs/baselines/plain_trial.h"

#include <fmt/format.h>

#include "fedvs/base/bytes.h"
#include "fedvs/baselines/batches.h"
#include "fedvs/sim/parts.h"
#include "fedvs/sim/wait_for_all.h"

namespace fedvs::baselines {

PlainTrial::PlainTrial(const Job& job, std::unique_ptr<Parties> parties,
                       protocol::Observer& observer)
    : job_(job),
      parties_(std::move(parties)),
      delays_(job_.sim, parties_->clients(), static_cast<std::size_t>(job_.train.batch_size)),
      machines_(
          job_.sim, [this](int n, std::uint64_t round) { return delays_.upload(n, round); },
          parties_->costs()),
      observer_(observer),
      rounds_per_epoch_(Batches(parties_->rows(data::Part::kTrain),
                                static_cast<std::size_t>(job_.train.batch_size), 0, 0)
                            .per_epoch()) {}

void PlainTrial::run(const std::function<bool()>& stop) {
  while (!done_) {
    record(train_round(round_));
    ++round_;
    if (round_ % rounds_per_epoch_ == 0) end_epoch();
    if (stop && stop()) return;
  }
}

Status PlainTrial::status() const {
  if (done_) return {};
  return Error{ErrorCode::kStopped, fmt::format("stopped after round {}", round_)};
}

double PlainTrial::wait_for_all(std::uint64_t round, std::size_t samples) const {
  return sim::seconds_to_wait_for_all(delays_, machines_.links, client_count(), round,
                                      samples * parties_->width());
}

void PlainTrial::record(const Round& round) {
  auto plan = std::make_shared<protocol::Plan>();
  plan->round = round_;
  plan->epoch = static_cast<int>(round_ / rounds_per_epoch_);
  for (const auto& trained : round.trained) {
    auto& version = plan->versions.emplace_back();
    if (trained) version.emplace().step = *trained;
  }
  ended_ = round.ended;
  observer_.on_round({.plan = std::move(plan),
                      .responders = round.answered,
                      .wrong = {},
                      .shared = {},
                      .started = round.started,
                      .opened = round.ended,
                      .loss = round.loss,
                      .samples = round.samples});
}

void PlainTrial::end_epoch() {
  const auto epoch = static_cast<int>(round_ / rounds_per_epoch_);
  const bool last = epoch >= job_.train.epochs;
  if (last || epoch % job_.train.evaluate_every == 0) {
    if (parties_->rows(data::Part::kValidation) > 0) evaluate(data::Part::kValidation, last);
    done_ = last || patience_ends();
    evaluate(data::Part::kTest, done_);
  }
  parties_->scale_rate(job_.train.lr_decay);
}

void PlainTrial::evaluate(data::Part part, bool last) {
  const auto metrics = parties_->evaluate(part);
  if (part == data::Part::kValidation) {
    const bool better = metrics.loss < best_validation_loss_;
    evaluations_without_gain_ = better ? 0 : evaluations_without_gain_ + 1;
    best_validation_loss_ = std::min(best_validation_loss_, metrics.loss);
  }
  observer_.on_evaluation({.epoch = static_cast<int>(round_ / rounds_per_epoch_),
                           .round = round_,
                           .at = ended_,
                           .part = part,
                           .metrics = metrics,
                           .last = last});
}

bool PlainTrial::patience_ends() {
  return job_.train.patience > 0 && evaluations_without_gain_ >= job_.train.patience;
}

PlainTrial::Parts PlainTrial::save() {
  ByteWriter control;
  control.number(round_);
  control.number(best_validation_loss_);
  control.number(evaluations_without_gain_);
  Parts parts = parties_->save();
  parts["control"] = control.take();
  return parts;
}

// The clock depends on no number: its rounds are asked for again, and the saved weights put in.
Status PlainTrial::restore(const Parts& parts) {
  FEDVS_TRY(const auto control, sim::find_part(parts, "control"));
  ByteReader in(control);
  FEDVS_TRY(round_, in.number<std::uint64_t>());
  FEDVS_TRY(best_validation_loss_, in.number<double>());
  FEDVS_TRY(evaluations_without_gain_, in.number<int>());
  FEDVS_TRY_STATUS(in.finish());
  FEDVS_TRY_STATUS(replay(round_));
  return parties_->restore(parts);
}

}  // namespace fedvs::baselines
