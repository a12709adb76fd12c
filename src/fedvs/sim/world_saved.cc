// Checkpoints of a world, and how a run is brought back: docs/design/resume-by-replay.md
#include <fmt/format.h>

#include "fedvs/base/bytes.h"
#include "fedvs/sim/parts.h"
#include "fedvs/sim/world.h"

namespace fedvs::sim {

World::Parts World::save() {
  simulator_->compute();  // the models below are those of the steps that clients have accepted
  ByteWriter control;
  // Before training there is nothing to keep: the run starts anew.
  const bool started = server_->training_started();
  control.number<std::uint64_t>(started ? simulator_->events() : 0);
  control.number(server_->patience_ended());
  control.number(server_->best_validation_loss());
  control.number(server_->evaluations_without_gain());
  Parts parts{{"control", control.take()},
              {"predictions", learner_->save_predictions()},
              {"gradients", learner_->save_gradients(slowest_client())},
              {"digests", learner_->save_digests()},
              {"central", learner_->central().save()}};
  for (const auto& client : clients_) {
    parts[fmt::format("client-{}", client->number() + 1)] = client->model().save();
  }
  return parts;
}

std::uint64_t World::slowest_client() const {
  protocol::StepNumber slowest = server_->rounds();
  for (const auto& client : clients_) slowest = std::min(slowest, client->model().step());
  return slowest;
}

// After the replay, which must have brought the client to the very step that was saved.
static Status restore_model(protocol::Client& client, const std::string& bytes) {
  const auto replayed = client.model().step();
  FEDVS_TRY_STATUS(client.model().restore(bytes));
  if (client.model().step() == replayed) return {};
  return Error{
      ErrorCode::kCorrupt,
      fmt::format("the checkpoint has client {} at step {}, its events lead to step {}; it "
                  "was written by another version: start the run anew",
                  client.number() + 1, client.model().step(), replayed)};
}

Status World::restore(const Parts& parts) {
  if (job_.sim.compute == Compute::kMeasured) {
    return Error{ErrorCode::kBadJob,
                 "a run with sim.compute = \"measured\" cannot be resumed: its clock was this "
                 "machine's; start it anew"};
  }
  FEDVS_TRY(const auto control, find_part(parts, "control"));
  ByteReader in(control);
  FEDVS_TRY(const auto events, in.number<std::uint64_t>());
  FEDVS_TRY(const auto patience_ended, in.number<int>());
  FEDVS_TRY(const auto best, in.number<double>());
  FEDVS_TRY(const auto waited, in.number<int>());
  if (events == 0) return {};
  server_->expect_patience_to_end(patience_ended);
  FEDVS_TRY(const auto gradients, find_part(parts, "gradients"));
  FEDVS_TRY(const auto digests, find_part(parts, "digests"));
  FEDVS_TRY_STATUS(learner_->recall_gradients(gradients, digests));
  FEDVS_TRY_STATUS(replay(events));
  if (!learner_->recalled_all()) {
    return Error{ErrorCode::kCorrupt, "the checkpoint's digests are not one per round"};
  }
  server_->restore_patience(best, waited);
  return restore_numbers(parts);
}

// Uploads of the plan that is open are computed from them when its sum is opened; of other plans
// none is read any more.
Status World::restore_numbers(const Parts& parts) {
  FEDVS_TRY(const auto central, find_part(parts, "central"));
  FEDVS_TRY_STATUS(learner_->central().load(central));
  for (auto& client : clients_) {
    FEDVS_TRY(const auto bytes, find_part(parts, fmt::format("client-{}", client->number() + 1)));
    FEDVS_TRY_STATUS(restore_model(*client, bytes));
  }
  FEDVS_TRY(const auto predictions, find_part(parts, "predictions"));
  FEDVS_TRY_STATUS(learner_->restore_predictions(predictions));
  for (const auto& work : works_) work->forget_uploads_but(server_->last_plan());
  return {};
}

Status World::adopt(const Parts& parts) {
  FEDVS_TRY(const auto central, find_part(parts, "central"));
  FEDVS_TRY_STATUS(learner_->central().load(central));
  for (auto& client : clients_) {
    FEDVS_TRY(const auto bytes, find_part(parts, fmt::format("client-{}", client->number() + 1)));
    FEDVS_TRY_STATUS(client->model().adopt(bytes));
  }
  return {};
}

Status World::replay(std::uint64_t events) {
  FEDVS_CHECK(!started_, "a world is restored before it runs");
  set_numbers(Numbers::kReplayed);
  started_ = true;
  simulator_->start();
  simulator_->run(events, {});
  set_numbers(Numbers::kComputed);
  if (simulator_->events() == events && server_->status()) return {};
  return Error{ErrorCode::kCorrupt,
               fmt::format("the replay ended after {} of {} events: the checkpoint is of another "
                           "job or version",
                           simulator_->events(), events)};
}

}  // namespace fedvs::sim
