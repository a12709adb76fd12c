#include "fedvs/party/server_run.h"

#include "fedvs/base/log.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/party/agree_on.h"
#include "fedvs/party/evidence.h"
#include "fedvs/party/party_secrets.h"

namespace fedvs::party {

ServerRun::ServerRun(ServerKit& kit, Wiring wiring, protocol::Agreement agreement,
                     coding::LagrangeCode code)
    : kit_(kit),
      wiring_(std::move(wiring)),
      agreement_(std::move(agreement)),
      code_(std::move(code)),
      secrets_(server_secrets(kit.identity.job)),
      verdicts_(agreement_.shape.parties) {}

Result<std::unique_ptr<ServerRun>> ServerRun::make(ServerKit& kit, Wiring wiring) {
  FEDVS_TRY(auto agreement, agree_on(kit.identity.job, kit.identity.roster, kit.terms()));
  FEDVS_TRY_STATUS(wire::check_message_sizes(agreement));
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement.ring, agreement.shape));
  std::unique_ptr<ServerRun> run(
      new ServerRun(kit, std::move(wiring), std::move(agreement), std::move(code)));
  FEDVS_TRY_STATUS(run->open_logs());
  const auto seed = kit.trained ? kit.trained->seed : kit.state.run()->seed;
  FEDVS_TRY_STATUS(run->make_learner(seed));
  run->server_ = std::make_unique<protocol::Server>(run->agreement_, run->code_, *run->learner_,
                                                    *run->secrets_, run->wiring_.observer,
                                                    run->settings(seed));
  drive::ServerJournal& journal = *run;
  run->driver_.emplace(*run->server_, journal, run->wiring_.outbox,
                       [&clock = kit.clock] { return clock.now(); });
  FEDVS_TRY_STATUS(run->recall());
  return run;
}

// Whoever may still be sent the gradients that it missed finds the plans, too.
Status ServerRun::open_logs() {
  const auto& folder = kit_.state.folder();
  const auto rounds = static_cast<std::uint64_t>(kit_.identity.job.protocol.max_catch_up);
  FEDVS_TRY(gradients_, GradientLog::open(folder, agreement_));
  FEDVS_TRY(heads_, HeadLog::open(folder / "heads.log", agreement_, {.steps = 2 * rounds}));
  return {};
}

Status ServerRun::make_learner(std::uint64_t seed) {
  const auto& labels = kit_.labels;
  FEDVS_TRY(auto central, model::make_central(kit_.identity.job, labels.classes, seed));
  const auto& saved = kit_.trained ? kit_.trained->central : kit_.state.central().model;
  if (!saved.empty()) FEDVS_TRY_STATUS(central->load(saved));
  learner_ = std::make_unique<protocol::Learner>(agreement_, std::move(central), labels.labels[0],
                                                 labels.labels[1], labels.labels[2]);
  learner_->keep_news();
  return {};
}

protocol::ServerSettings ServerRun::settings(std::uint64_t seed) {
  const auto& self = kit_.identity;
  return {.batch_seed = seed,
          .lr_decay = self.job.train.lr_decay,
          .patience = self.job.train.patience,
          .archive = gradients_.get(),
          .max_catch_up = self.job.protocol.max_catch_up,
          .wait_for_return = wiring_.wait_for_return,
          .groups = groups_of_before(),
          .run = run_digest(self.job_digest, self.roster.signing_key, kit_.terms()),
          .heads = heads_.get(),
          .sign = [&self](std::string_view text) { return self.signing.sign(text); },
          .verify =
              [&self](std::string_view text, const protocol::Signature& signature) {
                return seal::verify(self.signing.public_key, text, signature);
              }};
}

// What clients say counts for more; a memory that contradicts itself is none.
protocol::Groups ServerRun::groups_of_before() const {
  if (kit_.trained) return {};
  auto groups = kit_.groups.binding(agreement_.shape.parties);
  if (groups) return std::move(*groups);
  log::warning("{}", groups.error().message);
  return {};
}

// ---- after a restart

Status ServerRun::recall() {
  const auto& standing = kit_.state.standing();
  if (standing && !standing->server.empty()) {
    FEDVS_TRY_STATUS(server_->restore(kit_.clock.now(), standing->server));
  }
  FEDVS_TRY_STATUS(recall_learned());
  FEDVS_TRY_STATUS(gradients_->cut_to(server_->steps_sent()));
  if (!kit_.trained || !kit_.finished()) return {};
  learner_->start(data::Part::kTest);
  return learner_->restore_predictions(standing->totals);
}

// The central model was saved some rounds ago: it learns again what it had learned since.
Status ServerRun::recall_learned() {
  const double decay = kit_.identity.job.train.lr_decay;
  const auto& central = kit_.state.central();
  if (!kit_.trained) learner_->set_progress(central.rounds, central.rate_changes);
  FEDVS_TRY_STATUS(kit_.state.recall_learned([&](std::string_view news) {
    return learner_->recall(news, server_->rounds(), server_->finished_epochs(), decay);
  }));
  while (learner_->rate_changes() < server_->finished_epochs() && !kit_.trained) {
    learner_->scale_rate(decay);
  }
  return {};
}

// ---- what is written down

// Before anything is sent that depends on it. A model that is saved is never ahead of the server's
// notes, but complete when they say that the run is over.
Status ServerRun::save(Moment moment) {
  FEDVS_TRY_STATUS(keep_groups());
  FEDVS_TRY_STATUS(kit_.settle());
  FEDVS_TRY_STATUS(kit_.state.note_learned(learner_->take_news()));
  const bool done = server_->done();
  if (done) FEDVS_TRY_STATUS(save_central());
  const auto* plan = server_->last_plan();
  FEDVS_TRY_STATUS(
      kit_.state.save({.server = server_->save(),
                       .totals = totals(),
                       .seconds = kit_.clock.now(),
                       .restarts = kit_.restarts,
                       .done = done,
                       .versions = plan != nullptr ? versions_of(*plan) : Versions{}}));
  const bool due = kit_.state.central_due() && !server_->evaluating();
  return !done && (due || moment == Moment::kLast) ? save_central() : Status{};
}

// Once, before the first step that names them is sent.
Status ServerRun::keep_groups() {
  if (kit_.trained || !server_->groups() || std::exchange(groups_kept_, true)) return {};
  return kit_.groups.keep(*server_->groups());
}

Status ServerRun::save_central() {
  if (kit_.trained) return {};
  return kit_.state.save_central({.model = learner_->central().save(),
                                  .rounds = learner_->rounds(),
                                  .rate_changes = learner_->rate_changes()},
                                 /*notes_done=*/!server_->evaluating());
}

std::string ServerRun::totals() const {
  if (!kit_.trained) return wiring_.totals();
  return server_->done() ? learner_->save_predictions() : "";
}

}  // namespace fedvs::party
