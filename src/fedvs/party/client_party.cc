#include "fedvs/party/client_party.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/log.h"
#include "fedvs/base/wipe.h"
#include "fedvs/party/party_secrets.h"

namespace fedvs::party {
namespace {

using std::chrono::milliseconds;

constexpr int kMostEventsInARow = 16;      // then one thing that can wait, or masks are never dealt
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
  auto event = mailbox_.take(until);
  if (event) FEDVS_TRY_STATUS(std::visit([this](const auto& e) { return on(e); }, *event));
  const bool its_turn = !event || ++events_in_a_row_ >= kMostEventsInARow;
  if (its_turn) events_in_a_row_ = 0;
  if (its_turn && !background_.empty()) {
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

Status ClientParty::receive(const protocol::MessagePtr& message) {
  FEDVS_TRY_STATUS(note(*message));
  const auto* welcome = std::get_if<protocol::Welcome>(message.get());
  const bool to_this_life =
      welcome != nullptr && static_cast<int>(welcome->clients.size()) > identity_.number &&
      welcome->clients[static_cast<std::size_t>(identity_.number)] == client_->incarnation();
  if (to_this_life) post_.meet(*welcome);
  if (const auto* share = std::get_if<protocol::ModelShare>(message.get())) {
    state_.note_model(*share);
  }
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
  if (std::exchange(frozen_, step->frozen) != step->frozen) save_soon_ = true;
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

// As often as it costs little: at most a twentieth of the time.
void ClientParty::save_if_due(bool now) {
  if (!client_) return;
  const auto since = Clock::now() - last_saved_;
  const std::chrono::duration<double> usual(save_soon_ ? 0 : options_.save_every);
  const auto due = std::max(std::chrono::duration_cast<Clock::duration>(usual), 20 * saving_took_);
  if (!now && since < due) return;
  const auto began = Clock::now();
  if (const auto saved = state_.save(*client_); !saved) {
    log::error("cannot save: {}", saved.error().message);
    if (failed_) failed_ = saved;
  }
  save_soon_ = false;
  last_saved_ = Clock::now();
  saving_took_ = last_saved_ - began;
}

}  // namespace fedvs::party
