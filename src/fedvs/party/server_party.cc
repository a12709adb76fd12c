#include "fedvs/party/server_party.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "fedvs/base/log.h"
#include "fedvs/party/lanes.h"
#include "fedvs/party/party_secrets.h"
#include "fedvs/party/sealed_post.h"
#include "fedvs/wire/codec.h"

namespace fedvs::party {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr auto kTurn = milliseconds(200);
constexpr auto kSayMissingEvery = std::chrono::seconds(10);
constexpr auto kDrain = milliseconds(5'000);

data::PreparedLabels all_to_score(const data::PartyLabels& labels, const ClassNames& classes) {
  data::PreparedLabels prepared;
  prepared.labels[static_cast<int>(data::Part::kTest)] = labels.labels;
  prepared.classes = static_cast<int>(classes.labels.size());
  prepared.class_names = classes.shown;
  return prepared;
}

ServerRows rows_of(const data::PartyLabels& labels, const data::PreparedLabels& prepared,
                   const std::optional<TrainedServer>& trained) {
  return {
      .parts = {prepared.labels[0].size(), prepared.labels[1].size(), prepared.labels[2].size()},
      .total = labels.rows.ids.size(),
      .ids = trained ? scoring_id(trained->run_id, labels.rows)
                     : data::row_ids_digest(nullptr, labels.rows),
      .classes = static_cast<std::uint32_t>(prepared.classes),
      .versions = trained ? trained->versions : Versions{}};
}

std::vector<std::string> names_of(const identity::Roster& roster) {
  std::vector<std::string> names;
  for (const auto& client : roster.clients) names.push_back(client.name);
  return names;
}

protocol::Ending ending_of(const Status& status) {
  if (status) return protocol::Ending::kFinished;
  if (status.error().code == ErrorCode::kStopped) return protocol::Ending::kStopped;
  return protocol::Ending::kFailed;
}

}  // namespace

Result<std::unique_ptr<ServerParty>> ServerParty::create(identity::ServerFolder identity,
                                                         const data::PartyLabels& labels,
                                                         ServerPartyOptions options,
                                                         protocol::Observer& observer) {
  data::PreparedLabels prepared;
  if (options.trained) {
    prepared = all_to_score(labels, options.trained->classes);
    identity.job.train.epochs = 0;  // every row is opened once
  } else {
    FEDVS_TRY(prepared, data::labels_of_parts(labels, identity.job.data));
  }
  const auto rows = rows_of(labels, prepared, options.trained);
  const std::string folder = options.trained ? scoring_folder(rows.ids) : "state";
  FEDVS_TRY(auto state, ServerState::open(options.folder / folder));
  ClassNames classes{labels.class_names, prepared.class_names};
  std::unique_ptr<ServerParty> party(new ServerParty(std::move(identity), std::move(prepared), rows,
                                                     std::move(classes), std::move(options),
                                                     std::move(state), observer));
  FEDVS_TRY_STATUS(party->resume());
  return party;
}

ServerParty::ServerParty(identity::ServerFolder identity, data::PreparedLabels labels,
                         const ServerRows& rows, ClassNames classes, ServerPartyOptions options,
                         ServerState state, protocol::Observer& observer)
    : identity_(std::move(identity)),
      labels_(std::move(labels)),
      classes_(std::move(classes)),
      options_(std::move(options)),
      state_(std::move(state)),
      door_(identity_, rows),
      watch_(names_of(identity_.roster), observer),
      secrets_(server_secrets(identity_.job)),
      seats_(identity_.roster.clients.size()) {
  if (!options_.trained) return;
  totals = [this] { return server_->done() ? learner_->save_predictions() : std::string(); };
}

ServerParty::~ServerParty() = default;

const std::string* ServerParty::saved_totals() const {
  return state_.standing() ? &state_.standing()->totals : nullptr;
}

bool ServerParty::finished_before() const { return state_.standing() && state_.standing()->done; }

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

// ---- the network

transport::HubEvents ServerParty::events() {
  return {.on_connected =
              [this](int c, std::uint64_t s) {
                mailbox_.post(Connected{c, s});
              },
          .on_parcel =
              [this](int c, std::uint64_t s, transport::Bytes bytes) {
                mailbox_.post(Arrived{c, s, std::move(bytes)});
              },
          .on_disconnected =
              [this](int c, std::uint64_t s, const std::string& reason) {
                mailbox_.post(Disconnected{c, s, reason});
              }};
}

Status ServerParty::listen() {
  transport::HubOptions hub{
      .address = options_.listen.empty() ? identity_.roster.server.text() : options_.listen,
      .tls = {.ca_pem = identity_.authority_pem,
              .certificate_pem = identity_.certificate_pem,
              .key_pem = std::string(identity_.key_pem.view())},
      .identify =
          [this](const std::string& pem) {
            return identity::identify(identity_.roster, pem, std::time(nullptr));
          },
      .events = events(),
      .limits = options_.limits};
  const wire::EnvelopeLimits limits{
      .parties = client_count(), .contents = agreement_ ? wire::largest_message(*agreement_) : 0};
  hub.limits.largest_parcel = wire::largest_envelope(limits);
  FEDVS_TRY(hub_, transport::Hub::listen(std::move(hub)));
  return {};
}

Status ServerParty::on(const Connected& event) {
  seat(event.client) = {.session = event.session, .lives = seat(event.client).lives};
  watch_.on_note(fmt::format("{} connected", name(event.client)));
  return {};
}

Status ServerParty::on(const Disconnected& event) {
  if (seat(event.client).session != event.session) return {};
  seat(event.client).session = 0;
  seat(event.client).introduced = false;
  watch_.on_note(fmt::format("{} disconnected: {}", name(event.client), event.reason));
  return {};
}

Status ServerParty::on(const Arrived& event) {
  if (seat(event.client).session != event.session) return {};
  const wire::EnvelopeLimits limits{
      .parties = client_count(), .contents = agreement_ ? wire::largest_message(*agreement_) : 0};
  auto envelope = wire::decode_envelope(limits, *event.bytes);
  if (!envelope) {
    refuse(event.client, envelope.error().message);
    return {};
  }
  return std::visit([&](auto& e) { return take(event.client, std::move(e)); }, *envelope);
}

// Whoever sends what it must not is put out, with the reason in the log; the run goes on.
void ServerParty::refuse(int client, const std::string& reason) {
  watch_.on_note(fmt::format("{} refused: {}", name(client), reason));
  hub_->close(client, reason, /*refused=*/true, seat(client).session);
  seat(client).session = 0;
  seat(client).introduced = false;
}

Status ServerParty::take(int client, wire::Introduction&& introduction) {
  if (seat(client).introduced) {
    refuse(client, "it has introduced itself twice");
    return {};
  }
  if (const auto known = door_.introduce(client, introduction); !known) {
    refuse(client, known.error().message);
    return {};
  }
  seat(client).introduced = true;
  if (server_) {
    send_terms(client);
    return {};
  }
  return door_.complete() ? begin_run() : Status{};
}

Status ServerParty::take(int client, wire::OpenMessage&& open) {
  if (!seat(client).introduced || !server_) {
    refuse(client, "a message before the introduction");
    return {};
  }
  auto message = wire::decode(*agreement_, open.bytes);
  if (!message) {
    refuse(client, message.error().message);
    return {};
  }
  if (said_sender(**message) != client) {
    refuse(client, "a message in the name of another party");
    return {};
  }
  if (const auto* upload = std::get_if<protocol::Upload>(message->get())) {
    watch_.uploaded(client, upload->revision, now());
  }
  if (std::holds_alternative<protocol::Hello>(**message)) {
    ++seat(client).lives;
    hub_->admit(client, seat(client).session);  // it has read the terms: how large parcels may be
  }
  submit(server_->receive(now(), *message));
  return failed_;
}

// ---- the run

double ServerParty::now() const {
  return seconds_before_ + duration<double>(Clock::now() - started_).count();
}

std::uint64_t ServerParty::rounds_per_epoch() const {
  if (!agreement_) return 0;
  const std::size_t rows = agreement_->coded_rows(data::Part::kTrain);
  return (rows + agreement_->batch_rows() - 1) / agreement_->batch_rows();
}

double ServerParty::bytes_per_client() const {
  if (!hub_) return 0;
  double bytes = 0;
  for (const auto& [client, stats] : hub_->stats()) {
    bytes += static_cast<double>(stats.bytes_in + stats.bytes_out);
  }
  return bytes / client_count();
}

// All clients have said how many columns they have: everybody can compute the agreement.
Status ServerParty::begin_run() {
  ServerState::Run run{
      .id = {}, .seed = draw_run_seed(identity_.job), .door = door_.save(), .classes = classes_};
  Prng::from_os().fill(run.id);
  FEDVS_TRY_STATUS(state_.begin(run));
  FEDVS_TRY_STATUS(make_server());
  hub_->set_largest_parcel(wire::largest_envelope(
      {.parties = client_count(), .contents = wire::largest_message(*agreement_)}));
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
                               .wait_for_return = options_.wait_for_clients,
                               .names = names_of(identity_.roster)});
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

void ServerParty::send_terms(int client) {
  hub_->send(client, transport::Lane::kControl,
             transport::share(wire::encode(wire::Envelope(door_.terms(state_.run()->id)))),
             seat(client).session);
}

void ServerParty::submit(protocol::Tasks tasks) {
  for (auto& task : tasks) {
    server_->clock(now());
    auto effects = task.run();
    if (server_->take_save_due() && failed_) failed_ = save(/*whole=*/false);
    if (!failed_) return;  // what was not written down is not sent
    for (const auto& outgoing : effects.sends) send(outgoing);
    submit(std::move(effects.tasks));
  }
}

void ServerParty::send(const protocol::Outgoing& outgoing) {
  if (!seat(outgoing.to).introduced) return;
  const auto message = outgoing.make();
  if (message != encoded_message_) {
    encoded_ =
        transport::share(wire::encode(wire::Envelope(wire::OpenMessage{wire::encode(*message)})));
    encoded_message_ = message;
  }
  // Not to a connection that was made meanwhile: it begins with the introduction and the terms.
  hub_->send(outgoing.to, lane_of(outgoing.channel), encoded_, seat(outgoing.to).session);
}

Status ServerParty::save(bool whole) {
  if (!options_.trained) {
    FEDVS_TRY_STATUS(state_.save_central([this] { return learner_->central().save(); },
                                         server_->finished_epochs(), whole));
  }
  const auto* plan = server_->last_plan();
  return state_.save({.server = server_->save(),
                      .totals = totals(),
                      .seconds = now(),
                      .restarts = restarts_,
                      .done = server_->done(),
                      .versions = plan != nullptr ? versions_of(*plan) : Versions{}});
}

Status ServerParty::run() {
  if (restarts_ > 0)
    watch_.on_note(fmt::format("the server is back, in round {}", server_->rounds()));
  Status status;
  while (status && !(server_ && server_->done())) status = turn();
  return finish(std::move(status));
}

Status ServerParty::turn() {
  FEDVS_TRY_STATUS(check_waiting());
  auto until = Clock::now() + kTurn;
  if (server_ && std::isfinite(server_->next_deadline())) {
    const double left = std::max(0.0, server_->next_deadline() - now());
    until = std::min(
        until, Clock::now() + std::chrono::duration_cast<Clock::duration>(duration<double>(left)));
  }
  if (auto event = mailbox_.take(until)) {
    FEDVS_TRY_STATUS(std::visit([this](const auto& e) { return on(e); }, *event));
  }
  if (server_) {
    if (now() >= server_->next_deadline()) submit(server_->tick(now()));
    FEDVS_TRY_STATUS(failed_);
    FEDVS_TRY_STATUS(server_->status());
  }
  show();
  return {};
}

// A stop ends the round in training, and everything else at once.
Status ServerParty::check_waiting() {
  if (options_.stop()) {
    if (!server_ || !server_->training_started() || server_->awaits_clients()) {
      return Error{ErrorCode::kStopped, "stopped before training"};
    }
    server_->stop_after_round();
    if (!std::exchange(stopping_, true)) watch_.on_note("stopping after this round");
  }
  if (server_) return {};
  std::string names;
  for (int n : door_.missing()) names += " " + name(n);
  if (now() > options_.wait_for_clients) {
    return Error{ErrorCode::kTooFewShares,
                 fmt::format("after {:.0f} s these clients have not come:{}", now(), names)};
  }
  if (Clock::now() - said_missing_ >= kSayMissingEvery) {
    said_missing_ = Clock::now();
    log::info("waiting for{}", names);
  }
  return {};
}

// Before there are terms a client cannot read messages: it is put out with the reason, or, where
// the server will be back, left to try again.
void ServerParty::say_farewell(const Status& status) {
  if (!server_) {
    for (int n = 0; n < client_count() && ending_of(status) == protocol::Ending::kFailed; ++n) {
      if (seat(n).session != 0) hub_->close(n, status.error().message, /*refused=*/true);
    }
    return;
  }
  const auto farewell = transport::share(wire::encode(wire::Envelope(wire::OpenMessage{
      wire::encode(protocol::Farewell{ending_of(status), status ? "" : status.error().message})})));
  for (int n = 0; n < client_count(); ++n) {
    if (!seat(n).introduced) continue;
    if (server_) {
      hub_->send(n, transport::Lane::kBulk, farewell, seat(n).session);
    } else if (ending_of(status) == protocol::Ending::kFailed) {  // without terms none can read it
      hub_->close(n, status.error().message, /*refused=*/true, seat(n).session);
    }
  }
}

Status ServerParty::finish(Status status) {
  if (server_ && server_->training_started()) {
    if (const auto saved = save(/*whole=*/true); !saved && status) status = saved;
  }
  say_farewell(status);
  hub_->shutdown(kDrain);
  show();
  return status;
}

}  // namespace fedvs::party
