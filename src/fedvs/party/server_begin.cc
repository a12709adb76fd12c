// The protocol's server: made when all clients have come, made again after a restart.
#include <fmt/format.h>

#include "fedvs/base/log.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/party/evidence.h"
#include "fedvs/party/exposure_log.h"
#include "fedvs/party/party_secrets.h"
#include "fedvs/party/server_party.h"

namespace fedvs::party {

Status ServerParty::resume() {
  if (!state_.run() || !state_.run()->settled) return {};  // nobody has shared anything
  FEDVS_TRY_STATUS(door_.restore(state_.run()->door));
  door_.settle();
  if (state_.standing()) {
    seconds_before_ = state_.standing()->seconds;
    restarts_ = state_.standing()->restarts + 1;
  }
  FEDVS_TRY_STATUS(make_server());
  if (!options_.trained || !finished_before()) return {};
  learner_->start(data::Part::kTest);
  return learner_->restore_predictions(*saved_totals());
}

// All clients have said how many columns they have: everybody can compute the agreement. One that
// was begun before and came to nothing keeps its id, for a client that has noted it already.
Status ServerParty::begin_run() {
  ServerState::Run run{.id = {},
                       .seed = draw_run_seed(identity_.job),
                       .door = door_.save(),
                       .classes = classes_,
                       .settled = false};
  Prng::from_os().fill(run.id);
  if (state_.run()) {
    run.id = state_.run()->id;
    run.seed = state_.run()->seed;
  }
  FEDVS_TRY_STATUS(state_.begin(run));
  FEDVS_TRY_STATUS(make_server());
  hub_->set_largest_parcel(wire::largest_envelope(envelope_limits()));
  watch_.on_note(fmt::format("all {} clients have come", client_count()));
  for (int n = 0; n < client_count(); ++n) {
    if (seat(n).come) send_terms(n);
  }
  return {};
}

// What clients say counts for more; a memory that contradicts itself is none.
protocol::Groups ServerParty::groups_of_before() const {
  if (options_.trained) return {};
  auto groups = groups_.binding(agreement_->shape.parties);
  if (groups) return std::move(*groups);
  log::warning("{}", groups.error().message);
  return {};
}

// A client is away or was sent away before rows were shared: nothing is lost, everybody waits for
// it, and it may come with another file.
void ServerParty::start_over(int client) {
  door_.forget(client);
  verdicts_.forget_all();
  if (!server_) return;
  driver_.reset();
  server_.reset();
  learner_.reset();
  gradients_.reset();
  for (int n = 0; n < client_count(); ++n) {
    seat(n).greeted = false;
    hellos_.forget(n);  // to the run that came to nothing
  }
  waiting_since_ = Clock::now();
  watch_.on_note(fmt::format("no rows have been shared yet; everybody waits for {}", name(client)));
}

// What clients found when they compared their rows. One that most of them find to differ is sent
// away; once most find no difference, rows are shared and what was said is final.
Status ServerParty::weigh(const protocol::RowVerdict& verdict) {
  if (door_.settled()) return {};
  verdicts_.add(verdict);
  if (verdicts_.all_agree()) return settle();
  const auto differing = verdicts_.differing();
  if (differing.empty() && verdicts_.all_said()) {
    watch_.on_note(
        "the clients' row ids differ, and no file is the one of most of them; compare the ids (the "
        "key to compare them with came from " +
        name(0) + ")");
  }
  for (const int n : differing) {
    refuse(n, fmt::format("the row ids of {} are not those of most clients; it may come again with "
                          "the right file: nothing has been shared or noted",
                          name(n)));
  }
  return {};
}

Status ServerParty::settle() {
  if (door_.settled()) return {};
  door_.settle();
  ServerState::Run run = *state_.run();
  run.settled = true;
  return state_.begin(run);
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
  log_exposure(protocol::exposure_of(*agreement_));
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement_->ring, agreement_->shape));
  code_.emplace(std::move(code));
  FEDVS_TRY(gradients_, GradientLog::open(state_.folder(), *agreement_));
  // Whoever may still be sent the gradients that it missed finds the plans, too.
  const auto rounds = static_cast<std::uint64_t>(identity_.job.protocol.max_catch_up);
  FEDVS_TRY(heads_,
            HeadLog::open(state_.folder() / "heads.log", *agreement_, {.steps = 2 * rounds}));
  const auto seed = options_.trained ? options_.trained->seed : state_.run()->seed;
  FEDVS_TRY(auto central, model::make_central(identity_.job, labels_.classes, seed));
  const auto& saved = options_.trained ? options_.trained->central : state_.central().model;
  if (!saved.empty()) FEDVS_TRY_STATUS(central->load(saved));
  learner_ = std::make_unique<protocol::Learner>(*agreement_, std::move(central), labels_.labels[0],
                                                 labels_.labels[1], labels_.labels[2]);
  learner_->keep_news();
  server_ = std::make_unique<protocol::Server>(
      *agreement_, *code_, *learner_, *secrets_, watch_,
      protocol::ServerSettings{
          .batch_seed = seed,
          .lr_decay = identity_.job.train.lr_decay,
          .patience = identity_.job.train.patience,
          .archive = gradients_.get(),
          .max_catch_up = identity_.job.protocol.max_catch_up,
          .wait_for_return = options_.wait_for_clients,
          .groups = groups_of_before(),
          .run = run_digest(identity_.job_digest, identity_.roster.signing_key, terms),
          .heads = heads_.get(),
          .sign = [this](std::string_view text) { return identity_.signing.sign(text); },
          .verify =
              [this](std::string_view text, const protocol::Signature& signature) {
                return seal::verify(identity_.signing.public_key, text, signature);
              }});
  driver_.reset(new drive::ServerDriver(*server_, *this, *this, [this] { return now(); }));
  if (state_.standing() && !state_.standing()->server.empty()) {
    FEDVS_TRY_STATUS(server_->restore(now(), state_.standing()->server));
  }
  FEDVS_TRY_STATUS(recall_learned());
  return gradients_->cut_to(server_->steps_sent());
}

// The central model was saved some rounds ago: it learns again what it had learned since.
Status ServerParty::recall_learned() {
  const double decay = identity_.job.train.lr_decay;
  if (!options_.trained) {
    learner_->set_progress(state_.central().rounds, state_.central().rate_changes);
  }
  FEDVS_TRY_STATUS(state_.recall_learned([&](std::string_view news) {
    return learner_->recall(news, server_->rounds(), server_->finished_epochs(), decay);
  }));
  while (learner_->rate_changes() < server_->finished_epochs() && !options_.trained) {
    learner_->scale_rate(decay);
  }
  return {};
}

}  // namespace fedvs::party
