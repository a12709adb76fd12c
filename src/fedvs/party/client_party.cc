#include "fedvs/party/client_party.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/log.h"
#include "fedvs/base/wipe.h"
#include "fedvs/model/client_network.h"
#include "fedvs/party/lanes.h"
#include "fedvs/party/party_secrets.h"
#include "fedvs/wire/codec.h"

namespace fedvs::party {
namespace {

using protocol::kServer;
using std::chrono::milliseconds;

constexpr std::size_t kMostUnopened = 256, kMostUnopenedBytes = std::size_t{64} << 20;
constexpr auto kTurn = milliseconds(200);  // the longest that a turn waits for an event

// The same while the table is; under the client's own key, so that nobody can try tables out.
Digest data_id(const seal::SecretKey& key, const data::PartyRows& rows) {
  Hasher hasher;
  hasher.add("fedvs data id 1").add(key.bytes());
  for (const auto& name : rows.columns) hasher.add_u64(name.size()).add(name);
  const auto& values = rows.features.values;
  return hasher
      .add(std::span<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(values.data()),
                                         values.size() * sizeof(float)))
      .finish();
}

// What stays the same while its data does is keyed by the data too: two tables masked alike would
// tell their difference.
seal::SecretKey run_key(const seal::SecretKey& key, const Digest& data_id, const Digest& row_ids) {
  Key256 derived =
      Hasher().add("fedvs run key 1").add(key.bytes()).add(data_id).add(row_ids).finish();
  auto made = seal::SecretKey::copy_of(derived);
  wipe(std::span(derived));
  return made;
}

// Of the row ids and, where rows are scored, the models to do it with: all clients have the same.
Digest row_check(const Key256& key, const data::RowIds& ids, const Versions& versions) {
  const Digest rows = data::row_ids_digest(&key, ids);
  if (versions.empty()) return rows;
  Hasher hasher;
  hasher.add(key).add(rows);
  for (const auto version : versions) hasher.add_u64(version);
  return hasher.finish();
}

Error ended_as(const protocol::Farewell& farewell) {
  switch (farewell.ending) {
    case protocol::Ending::kStopped:
      return {ErrorCode::kStopped, farewell.reason};
    case protocol::Ending::kRefused:
      return {ErrorCode::kRefused, farewell.reason};
    default:
      return {ErrorCode::kTooFewShares, "the server ended the run: " + farewell.reason};
  }
}

}  // namespace

Result<std::unique_ptr<ClientParty>> ClientParty::create(identity::ClientFolder identity,
                                                         data::PartyRows rows,
                                                         ClientPartyOptions options) {
  std::string folder = "state";
  if (options.trained) {
    folder = scoring_folder(scoring_id(options.trained->run_id, rows.rows));
    identity.job.train.epochs = 0;  // every row is opened once
  }
  FEDVS_TRY(auto state, ClientState::open(options.folder / folder,
                                          static_cast<int>(identity.roster.clients.size())));
  FEDVS_TRY(auto post, SealedPost::between(identity));
  return std::unique_ptr<ClientParty>(new ClientParty(
      std::move(identity), std::move(rows), std::move(options), std::move(state), std::move(post)));
}

ClientParty::ClientParty(identity::ClientFolder identity, data::PartyRows rows,
                         ClientPartyOptions options, ClientState state, SealedPost post)
    : identity_(std::move(identity)),
      rows_(std::move(rows)),
      row_count_(rows_.rows.ids.size()),
      features_(rows_.features.cols),
      data_id_(data_id(identity_.data_key, rows_)),
      row_ids_(options.trained ? scoring_id(options.trained->run_id, rows_.rows)
                               : data::row_ids_digest(nullptr, rows_.rows)),
      options_(std::move(options)),
      state_(std::move(state)),
      post_(std::move(post)),
      secrets_(client_secrets(run_key(identity_.data_key, data_id_, row_ids_), identity_.job)) {}

ClientParty::~ClientParty() = default;

Status ClientParty::connect() {
  const std::string address =
      options_.server.empty() ? identity_.roster.server.text() : options_.server;
  transport::LinkOptions link{
      .address = address,
      .self = identity_.number,
      .tls = {.ca_pem = identity_.authority_pem,
              .certificate_pem = identity_.certificate_pem,
              .key_pem = std::string(identity_.tls_key_pem.view())},
      .server_name = options_.server.empty() ? "" : identity_.roster.server.host,
      .events = {.on_connected = [this](std::uint64_t) { mailbox_.post(Connected{}); },
                 .on_parcel =
                     [this](int from, transport::Bytes bytes) {
                       mailbox_.post(Arrived{from, std::move(bytes)});
                     },
                 .on_disconnected =
                     [this](const std::string& reason, bool refused) {
                       mailbox_.post(Disconnected{reason, refused});
                     }},
      .limits = options_.limits};
  link.limits.largest_parcel = wire::largest_envelope(
      {.parties = static_cast<int>(identity_.roster.clients.size()), .contents = 0});
  FEDVS_TRY(link_, transport::Link::open(std::move(link)));
  return {};
}

Status ClientParty::run() {
  FEDVS_TRY_STATUS(connect());
  Status status;
  while (status && !(client_ && client_->farewell())) status = turn();
  if (status && ended()) state_.note_finished();
  save_if_due(/*now=*/true);
  link_->stop();
  return status ? ended() : status;
}

Status ClientParty::ended() const {
  const auto& farewell = *client_->farewell();
  if (farewell.ending == protocol::Ending::kFinished) return {};
  return ended_as(farewell);
}

Status ClientParty::turn() {
  if (!failed_) return failed_;
  if (options_.stop()) return Error{ErrorCode::kStopped, "stopped and saved"};
  if (away() > options_.give_up_after) {
    return Error{ErrorCode::kTooFewShares,
                 fmt::format("the server at {} has not answered for {:.0f} s: {}",
                             identity_.roster.server.text(), away(), last_reason_)};
  }
  const auto until = Clock::now() + (background_.empty() ? kTurn : milliseconds(0));
  if (auto event = mailbox_.take(until)) {
    FEDVS_TRY_STATUS(std::visit([this](const auto& e) { return on(e); }, *event));
  } else if (!background_.empty()) {
    auto task = std::move(background_.front());
    background_.pop_front();
    run_task(task);
  }
  save_if_due(/*now=*/false);
  return failed_;
}

double ClientParty::away() const {
  if (connected_) return 0;
  return std::chrono::duration<double>(Clock::now() - last_connected_).count();
}

// ---- what comes over the link

Status ClientParty::on(const Connected&) {
  connected_ = true;
  log::info("connected to {}", identity_.roster.server.text());
  transmit(kServer, protocol::Channel::kControl,
           wire::encode(wire::Envelope(
               wire::Introduction{.job_digest = identity_.job_digest,
                                  .roster_digest = identity::fingerprint(identity_.roster),
                                  .name = identity_.name,
                                  .features = static_cast<std::uint32_t>(features_),
                                  .rows = row_count_,
                                  .data_id = data_id_})));
  return {};
}

Status ClientParty::on(const Disconnected& gone) {
  if (std::exchange(connected_, false)) last_connected_ = Clock::now();
  if (gone.refused) return Error{ErrorCode::kRefused, "the server refuses: " + gone.reason};
  if (gone.reason != last_reason_) log::warning("not connected: {}; trying again", gone.reason);
  last_reason_ = gone.reason;
  background_.clear();
  return {};
}

// What cannot be read is dropped with its reason: neither the server nor a client that sends
// nonsense can stop another one.
Status ClientParty::on(const Arrived& arrived) {
  const wire::EnvelopeLimits limits{
      .parties = static_cast<int>(identity_.roster.clients.size()),
      .contents = agreement_ ? wire::largest_message(*agreement_) : 0};
  auto envelope = wire::decode_envelope(limits, *arrived.bytes);
  if (!envelope) {
    log::warning("dropped a parcel: {}", envelope.error().message);
    return {};
  }
  const bool sealed = std::holds_alternative<wire::Sealed>(*envelope);
  if (sealed != (arrived.from != kServer) ||
      (sealed && std::get<wire::Sealed>(*envelope).from != arrived.from)) {
    log::warning("dropped a parcel that is not from whom it says");
    return {};
  }
  return std::visit([this](auto& e) { return take(std::move(e)); }, *envelope);
}

Status ClientParty::take(wire::Terms&& terms) {
  FEDVS_TRY_STATUS(state_.agree(terms));
  if (!client_) FEDVS_TRY_STATUS(begin(terms));
  submit(std::exchange(said_hello_, true) ? client_->come_back() : client_->start());
  return failed_;
}

Status ClientParty::take(wire::OpenMessage&& open) {
  if (!client_) return {};
  auto message = wire::decode(*agreement_, open.bytes);
  if (!message) {
    log::warning("dropped a message of the server: {}", message.error().message);
    return {};
  }
  if (said_sender(**message) != kServer) {
    log::warning("dropped a message of the server that says it is a client's");
    return {};
  }
  return receive(*message);
}

Status ClientParty::take(wire::Sealed&& sealed) {
  if (!client_) return {};
  auto message = post_.open(*agreement_, sealed);
  if (message) return receive(*message);
  log::warning("{}", message.error().message);
  keep_unopened(std::move(sealed));
  return {};
}

// A sender that has just come back may be quicker than the welcome that says so. Bounded, since
// anybody can send what does not open.
void ClientParty::keep_unopened(wire::Sealed&& sealed) {
  unopened_bytes_ += sealed.sealed.size();
  unopened_.push_back(std::move(sealed));
  while (unopened_.size() > kMostUnopened || unopened_bytes_ > kMostUnopenedBytes) {
    unopened_bytes_ -= unopened_.front().sealed.size();
    unopened_.pop_front();
  }
}

void ClientParty::retry_unopened() {
  unopened_bytes_ = 0;
  for (const auto& sealed : std::exchange(unopened_, {})) {
    if (auto message = post_.open(*agreement_, sealed)) {
      if (const auto received = receive(*message); !received) failed_ = received;
    }
  }
}

Status ClientParty::receive(const protocol::MessagePtr& message) {
  FEDVS_TRY_STATUS(note(*message));
  const auto* welcome = std::get_if<protocol::Welcome>(message.get());
  const bool to_this_life =
      welcome != nullptr && static_cast<int>(welcome->clients.size()) > identity_.number &&
      welcome->clients[static_cast<std::size_t>(identity_.number)] == client_->incarnation();
  if (to_this_life) post_.meet(*welcome);
  submit(client_->receive(message));
  if (to_this_life) retry_unopened();
  if (const auto* rows = std::get_if<protocol::DataShare>(message.get()); rows && rows->values) {
    FEDVS_TRY_STATUS(state_.note_rows(*client_, *rows));
  }
  return failed_;
}

// Before it may be answered.
Status ClientParty::note(const protocol::Message& message) {
  const auto* step = std::get_if<protocol::Step>(&message);
  if (step == nullptr || !step->plan) return {};
  FEDVS_TRY_STATUS(state_.note_plan(*step));
  // A group that stands still names versions that nobody may be able to send again.
  if (std::exchange(frozen_, step->frozen) != step->frozen) save_if_due(/*now=*/true);
  return {};
}

// ---- the protocol's client

Status ClientParty::check(const wire::Terms& terms) const {
  const bool scores = !terms.versions.empty();
  if (scores != options_.trained.has_value()) {
    return Error{ErrorCode::kRefused, scores ? "the server is there to score rows; use --predict"
                                             : "the server is there to train; leave out --predict"};
  }
  if (scores && options_.trained->versions && terms.versions != *options_.trained->versions) {
    return Error{ErrorCode::kRefused,
                 "the server wants to score with other models than those of the training's last "
                 "evaluation; restore the server's folder of this training"};
  }
  if (terms.total_rows != row_count_ || terms.row_ids != row_ids_) {
    return Error{ErrorCode::kRefused,
                 fmt::format("the server's file is of {} rows, this one of {}: {}",
                             terms.total_rows, row_count_,
                             terms.total_rows == row_count_
                                 ? scores ? "the ids differ, or the trainings do"
                                          : "the ids (or the columns part and subject) differ"
                                 : "all parties must hold the same rows")};
  }
  return {};
}

Status ClientParty::begin(const wire::Terms& terms) {
  FEDVS_TRY_STATUS(check(terms));
  std::vector<int> features(terms.features.begin(), terms.features.end());
  const std::size_t rows[] = {terms.rows[0], terms.rows[1], terms.rows[2]};
  FEDVS_TRY(auto agreement,
            protocol::agree(identity_.job, features, rows, static_cast<int>(terms.classes)));
  agreement_.emplace(std::move(agreement));
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement_->ring, agreement_->shape));
  code_.emplace(std::move(code));
  link_->set_largest_parcel(wire::largest_envelope(
      {.parties = agreement_->shape.parties, .contents = wire::largest_message(*agreement_)}));
  return make_client(terms);
}

Result<data::Prepared> ClientParty::prepare() {
  if (options_.trained)
    return data::prepare_new_rows(std::move(rows_), options_.trained->standardiser);
  ClientState::Columns columns{.names = rows_.columns, .standardiser = {}};
  FEDVS_TRY(auto prepared,
            data::prepare_party(std::move(rows_), identity_.job.data, &columns.standardiser));
  FEDVS_TRY_STATUS(state_.keep(columns));
  return prepared;
}

Status ClientParty::make_client(const wire::Terms& terms) {
  const int n = identity_.number;
  const auto& job = identity_.job;
  protocol::ClientOptions apart{
      .apart = true,
      .row_count = row_count_,
      .row_digest = [ids = rows_.rows, versions = terms.versions](const Key256& key) {
        return row_check(key, ids, versions);
      }};
  FEDVS_TRY(auto prepared, prepare());
  for (std::size_t part = 0; part < data::kParts; ++part) {
    if (prepared.features[part].rows == terms.rows[part]) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("the server's split has {} rows in part {}, this client's {}",
                             terms.rows[part], part + 1, prepared.features[part].rows)};
  }
  const auto& width = agreement_->clients[static_cast<std::size_t>(n)];
  Prng random = secrets_->stream(Purpose::kInitialWeights, n, 0);
  auto network = model::PolynomialNetwork::initial(width.features, width.degree, agreement_->width,
                                                   job.model.init_scale, random);
  FEDVS_TRY(auto optimizer,
            model::Optimizer::create(model::client_optimizer(job), network.weights.size()));
  protocol::LocalModel local(*agreement_, n,
                             protocol::LocalModel::own_rows(*agreement_, n, prepared.features),
                             std::move(network), std::move(optimizer));
  if (const auto& trained = options_.trained) {
    FEDVS_TRY_STATUS(local.adopt(trained->model, terms.versions[static_cast<std::size_t>(n)]));
  }
  FEDVS_TRY(auto rows, state_.rows(*agreement_));
  client_ = std::make_unique<protocol::Client>(n, *agreement_, *code_, std::move(local),
                                               std::move(rows), *secrets_, std::move(apart));
  FEDVS_TRY(const auto torn, state_.recall(*agreement_, *client_));
  if (torn > 0) log::warning("{} chunks of rows were torn and are fetched again", torn);
  log::info("at step {}, rows {}", client_->model().step(),
            client_->holdings().data_complete ? "complete" : "to be fetched");
  return {};
}

void ClientParty::submit(protocol::Tasks tasks) {
  for (auto& task : tasks) {
    if (task.background) {
      background_.push_back(std::move(task));
    } else {
      run_task(task);
    }
  }
}

void ClientParty::run_task(protocol::Task& task) {
  auto effects = task.run();
  client_->compute_models();
  for (const auto& outgoing : effects.sends) send(outgoing);
  submit(std::move(effects.tasks));
}

void ClientParty::send(const protocol::Outgoing& outgoing) {
  if (!outgoing.wanted()) return;
  const auto message = outgoing.make();
  if (!message) return;
  client_->compute_uploads();
  if (outgoing.to == identity_.number) {
    if (const auto received = receive(message); !received) failed_ = received;
  } else if (outgoing.to == kServer) {
    transmit(kServer, outgoing.channel,
             wire::encode(wire::Envelope(wire::OpenMessage{wire::encode(*message)})));
  } else {
    transmit(outgoing.to, outgoing.channel, post_.seal(outgoing.to, *message));
  }
}

// A connection that is gone drops what it was given; so does the protocol, which starts anew with
// the next one.
void ClientParty::transmit(int to, protocol::Channel channel, std::string envelope) {
  if (!connected_) return;
  const std::size_t size = envelope.size();
  if (channel == protocol::Channel::kBulk) {
    link_->wait_for_room(size, Clock::now() + options_.limits.silent_after);
  }
  link_->send(to, lane_of(channel), transport::share(std::move(envelope)));
}

// As often as it costs little: at most a twentieth of the time.
void ClientParty::save_if_due(bool now) {
  if (!client_) return;
  const auto since = Clock::now() - last_saved_;
  const auto due =
      std::max<Clock::duration>(std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(options_.save_every)),
                                20 * saving_took_);
  if (!now && since < due) return;
  const auto began = Clock::now();
  if (const auto saved = state_.save(*client_); !saved) {
    log::error("cannot save: {}", saved.error().message);
    if (failed_) failed_ = saved;
  }
  last_saved_ = Clock::now();
  saving_took_ = last_saved_ - began;
}

}  // namespace fedvs::party
