#include "fedvs/party/client_party.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/log.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/party/refused.h"

namespace fedvs::party {
namespace {

using std::chrono::milliseconds;

constexpr int kMostEventsInARow = 16;                     // then one thing that can wait
constexpr std::size_t kBulkRoom = std::size_t{32} << 20;  // bytes free in the link's queue
constexpr std::size_t kRowsAhead = std::size_t{4} << 20;  // bytes in it, or models wait for long
constexpr auto kTurn = milliseconds(200);  // the longest that a turn waits for an event
constexpr auto kSoon = milliseconds(20);   // while something waits for room in the link's queue

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

Result<std::unique_ptr<ClientParty>> ClientParty::create(deploy::ClientFolder identity,
                                                         data::PartyRows rows,
                                                         ClientPartyOptions options) {
  FEDVS_TRY_STATUS(check_refused(options.folder, options.take_part_again));
  std::string folder = "state";
  if (options.trained) {
    folder = scoring_folder(scoring_id(options.trained->run_id, rows.rows));
    identity.job.train.epochs = 0;  // every row is opened once
  }
  FEDVS_TRY(auto state, ClientState::open(options.folder / folder,
                                          static_cast<int>(identity.roster.clients.size())));
  FEDVS_TRY(auto post, SealedPost::between(identity));
  std::optional<GroupMemory> groups;
  if (!options.trained) {
    FEDVS_TRY(groups, GroupMemory::open(options.folder / "groups.ckpt",
                                        row_marks(identity.data_key.bytes(), rows.rows.ids)));
  }
  return std::unique_ptr<ClientParty>(new ClientParty(std::move(identity), std::move(rows),
                                                      std::move(options), std::move(state),
                                                      std::move(post), std::move(groups)));
}

ClientParty::ClientParty(deploy::ClientFolder identity, data::PartyRows rows,
                         ClientPartyOptions options, ClientState state, SealedPost post,
                         std::optional<GroupMemory> groups)
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
      groups_(std::move(groups)) {}

ClientParty::~ClientParty() = default;

Status ClientParty::run() {
  FEDVS_TRY_STATUS(connect());
  Status status;
  while (status && !(client_ && client_->farewell())) status = turn();
  if (status) status = ended();
  if (status) {
    if (client_->was_away_at_the_end()) log::info("the run has finished; fetched what was missing");
    state_.note_finished();
  }
  save_if_due(/*now=*/true);
  if (status && !failed_) status = failed_;
  if (status) {  // so that the server need not stay for it
    transmit(
        protocol::kServer, protocol::Lane::kControl,
        wire::encode(wire::Envelope(wire::OpenMessage{wire::encode(*client_->last_report())})));
  }
  link_->stop();
  return status;
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
  // What can wait does while the link is full, so that questions are answered meanwhile.
  const bool rows_due = driver_ && driver_->has_background();
  const bool may_work =
      rows_due && room_for_rows() && link_->wait_for_room(kBulkRoom, Clock::now());
  const auto patience = may_work ? milliseconds(0) : rows_due ? kSoon : kTurn;
  auto event = mailbox_.take(Clock::now() + patience);
  if (event) FEDVS_TRY_STATUS(std::visit([this](const auto& e) { return on(e); }, *event));
  const bool its_turn = !event || ++events_in_a_row_ >= kMostEventsInARow;
  if (its_turn) events_in_a_row_ = 0;
  if (its_turn && may_work && driver_) FEDVS_TRY_STATUS(driver_->run_background());
  save_if_due(/*now=*/false);
  return failed_;
}

// Whether no more than kRowsAhead bytes, or half of a smaller queue, wait to be sent: models and
// uploads that are made later go out behind these.
bool ClientParty::room_for_rows() {
  const std::size_t all = options_.limits.queue_bytes;
  return link_->wait_for_room(all - std::min(all / 2, kRowsAhead), Clock::now());
}

double ClientParty::away() const {
  if (connected_) return 0;
  return std::chrono::duration<double>(Clock::now() - last_connected_).count();
}

Status ClientParty::receive(const protocol::MessagePtr& message) {
  const auto* welcome = std::get_if<protocol::Welcome>(message.get());
  const bool to_this_life =
      welcome != nullptr && static_cast<int>(welcome->clients.size()) > identity_.number &&
      welcome->clients[static_cast<std::size_t>(identity_.number)] == client_->incarnation();
  if (to_this_life) post_.meet(*welcome);
  FEDVS_TRY_STATUS(driver_->receive(message));
  if (to_this_life) FEDVS_TRY_STATUS(retry_unopened());
  return failed_;
}

// As often as it costs little: at most a twentieth of the time.
void ClientParty::save_if_due(bool now) {
  if (!client_ || !state_.terms()) return;  // before rows are shared there is nothing to keep
  const auto since = Clock::now() - last_saved_;
  // Further behind than the server keeps gradients for, it could not come back.
  const auto unsaved = client_->model().step() - std::min(saved_step_, client_->model().step());
  const auto most = static_cast<protocol::StepNumber>(identity_.job.protocol.max_catch_up) / 2;
  if (unsaved > most) save_soon_ = true;
  const std::chrono::duration<double> usual(save_soon_ ? 0 : options_.save_every);
  const auto due = std::max(std::chrono::duration_cast<Clock::duration>(usual), 20 * saving_took_);
  if (!now && since < due) return;
  const auto began = Clock::now();
  if (const auto saved = state_.save(*client_); !saved) {
    log::error("cannot save: {}", saved.error().message);
    if (failed_) failed_ = saved;
  }
  save_soon_ = false;
  saved_step_ = client_->model().step();
  last_saved_ = Clock::now();
  saving_took_ = last_saved_ - began;
}

}  // namespace fedvs::party
