// The protocol's server: made when all clients have come, made again after a restart.
#include <fmt/format.h>

#include <cstdlib>

#include "fedvs/party/party_secrets.h"
#include "fedvs/party/server_party.h"
#include "fedvs/wire/codec.h"

namespace fedvs::party {

Status ServerParty::resume() {
  if (!state_.run()) return {};
  FEDVS_TRY_STATUS(door_.restore(state_.run()->door));
  if (state_.standing()) {
    seconds_before_ = state_.standing()->seconds;
    restarts_ = state_.standing()->restarts + 1;
  }
  FEDVS_TRY_STATUS(make_server());
  if (!options_.trained || !finished_before()) return {};
  learner_->start(data::Part::kTest);
  return learner_->restore_predictions(*saved_totals());
}

// All clients have said how many columns they have: everybody can compute the agreement.
Status ServerParty::begin_run() {
  ServerState::Run run{
      .id = {}, .seed = draw_run_seed(identity_.job), .door = door_.save(), .classes = classes_};
  Prng::from_os().fill(run.id);
  FEDVS_TRY_STATUS(state_.begin(run));
  FEDVS_TRY_STATUS(make_server());
  hub_->set_largest_parcel(wire::largest_envelope(envelope_limits()));
  watch_.on_note(fmt::format("all {} clients have come", client_count()));
  for (int n = 0; n < client_count(); ++n) {
    if (seat(n).introduced) send_terms(n);
  }
  return {};
}

Status ServerParty::make_server() {
  const auto terms = door_.terms(state_.run()->id);
  const std::vector<int> features(terms.features.begin(), terms.features.end());
  const std::size_t rows[] = {terms.rows[0], terms.rows[1], terms.rows[2]};
  FEDVS_TRY(auto agreement,
            protocol::agree(identity_.job, features, rows, static_cast<int>(terms.classes)));
  FEDVS_TRY_STATUS(wire::check_message_sizes(agreement));
  agreement.names = identity_.roster.client_names();
  agreement_.emplace(std::move(agreement));
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement_->ring, agreement_->shape));
  code_.emplace(std::move(code));
  FEDVS_TRY(gradients_, GradientLog::open(state_.folder() / "gradients.log", *agreement_));
  const auto seed = options_.trained ? options_.trained->seed : state_.run()->seed;
  FEDVS_TRY(auto central, model::make_central(identity_.job, labels_.classes, seed));
  const auto& saved = options_.trained ? options_.trained->central : state_.central();
  if (!saved.empty()) FEDVS_TRY_STATUS(central->load(saved));
  learner_ = std::make_unique<protocol::Learner>(*agreement_, std::move(central), labels_.labels[0],
                                                 labels_.labels[1], labels_.labels[2]);
  server_ = std::make_unique<protocol::Server>(
      *agreement_, *code_, *learner_, *secrets_, watch_,
      protocol::ServerSettings{.batch_seed = seed,
                               .lr_decay = identity_.job.train.lr_decay,
                               .patience = identity_.job.train.patience,
                               .archive = gradients_.get(),
                               .wait_for_return = options_.wait_for_clients});
  if (!state_.standing() || state_.standing()->server.empty()) return gradients_->cut_to(0);
  FEDVS_TRY_STATUS(server_->restore(now(), state_.standing()->server));
  set_central_rate();
  return gradients_->cut_to(server_->steps_sent());
}

// A central model from before the end of an epoch has not seen its rate change; one that was saved
// just before the server died may have seen a change that the server has still to make.
void ServerParty::set_central_rate() {
  const double decay = identity_.job.train.lr_decay;
  const int behind = server_->finished_epochs() - state_.central_epochs();
  for (int e = 0; e < std::abs(behind); ++e) {
    learner_->central().scale_rate(behind > 0 ? decay : 1 / decay);
  }
}

}  // namespace fedvs::party
