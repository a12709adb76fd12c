#include "fedvs/party/client_party.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/log.h"
#include "fedvs/party/evidence.h"
#include "fedvs/party/refused.h"
#include "fedvs/wire/codec.h"

namespace fedvs::party {
namespace {

using std::chrono::milliseconds;

constexpr int kMostEventsInARow = 16;  // then one thing that can wait
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

Result<std::unique_ptr<ClientParty>> ClientParty::create(identity::ClientFolder identity,
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

ClientParty::ClientParty(identity::ClientFolder identity, data::PartyRows rows,
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
        protocol::kServer, protocol::Channel::kControl,
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
  const bool rows_due = !background_.empty() && room_for_rows();
  const bool may_work =
      rows_due && link_->wait_for_room(kBulkRoom, Clock::now());
  const auto patience = may_work ? milliseconds(0) : background_.empty() ? kTurn : kSoon;
  auto event = mailbox_.take(Clock::now() + patience);
  if (event) FEDVS_TRY_STATUS(std::visit([this](const auto& e) { return on(e); }, *event));
  const bool its_turn = !event || ++events_in_a_row_ >= kMostEventsInARow;
  if (its_turn) events_in_a_row_ = 0;
  if (its_turn && may_work) {
    if (auto task = background_.next()) run_task(*task);
  }
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
  FEDVS_TRY(auto tasks, state_.receive(*client_, message));
  keep_refusal();
  FEDVS_TRY_STATUS(pin());
  FEDVS_TRY_STATUS(keep_groups());
  const auto* step = std::get_if<protocol::Step>(message.get());
  if (step != nullptr && step->plan && client_->plan() == step->plan) {
    FEDVS_TRY_STATUS(note(*step));
  }
  submit(std::move(tasks));
  if (to_this_life) retry_unopened();
  return failed_;
}

// Before any row, or any version of its model, is sent. That all have the same rows makes it this
// run or none; the server's word that training has begun, with which a model may be asked for, only
// has the run noted as its own.
Status ClientParty::pin() {
  const auto& welcome = client_->welcome();
  if (welcome.clients.empty() || !(client_->rows_line_up() || welcome.training)) return {};
  if (groups_ && !std::exchange(own_run_kept_, true)) {
    FEDVS_TRY_STATUS(keep_run(RunMemory::Whose::kOwn));
  }
  if (!client_->rows_line_up() || std::exchange(pinned_, true)) return {};
  rows_ = {};
  if (groups_ && !client_->bound_groups().empty()) {
    FEDVS_TRY_STATUS(groups_->keep(client_->bound_groups()));
  }
  return state_.terms() ? Status{} : state_.agree(*terms_);
}

// However it was told of them: with a plan that it answers, or with one that only others did.
// Groups of a plan that it refuses are not remembered.
Status ClientParty::keep_groups() {
  if (!groups_ || !client_->groups() || client_->broken_off()) return {};
  if (std::exchange(groups_kept_, true)) return {};
  return groups_->keep(*client_->groups());
}

// A step whose plan it has accepted, before it is answered. A group that stands still names
// versions that nobody may be able to send again. Scoring goes on with the models that it began
// with.
Status ClientParty::note(const protocol::Step& step) {
  if (std::exchange(frozen_, step.frozen) != step.frozen) save_soon_ = true;
  if (auto& trained = options_.trained; trained && !trained->versions) {
    trained->versions = state_.terms()->versions;
    FEDVS_TRY_STATUS(keep_versions(options_.folder, *trained->versions));
  }
  if (!groups_ || std::exchange(run_kept_, true)) return {};
  return keep_run(RunMemory::Whose::kEverybodys);
}

Status ClientParty::keep_run(RunMemory::Whose whose) const {
  const auto& sharings = client_->welcome().sharings;
  Hasher hasher;
  for (std::size_t n = 0; n < sharings.size(); ++n) {
    const bool own = static_cast<int>(n) == identity_.number;
    if (own || whose == RunMemory::Whose::kEverybodys) hasher.add(sharings[n].bytes);
  }
  FEDVS_TRY(auto runs, RunMemory::open(options_.folder / "runs.ckpt"));
  return runs.keep(client_->heads()->run(), whose, hasher.finish());
}

void ClientParty::submit(protocol::Tasks tasks) {
  for (auto& task : tasks) {
    if (task.background) {
      background_.add(std::move(task));
    } else {
      run_task(task);
    }
  }
}

void ClientParty::run_task(protocol::Task& task) {
  auto effects = task.run();
  client_->compute_models();
  if (auto instead = client_->take_withdrawal()) effects = std::move(*instead);
  keep_refusal();
  for (const auto& outgoing : effects.sends) send(outgoing);
  submit(std::move(effects.tasks));
}

// Before the others hear of it: a client that has refused does not come back as if it had not.
void ClientParty::keep_refusal() {
  const auto& broken_off = client_->broken_off();
  if (!broken_off || std::exchange(refusal_kept_, true)) return;
  RefusedFor refused{
      .reason = broken_off->reason, .revision = broken_off->revision, .at = std::time(nullptr)};
  if (const auto& proof = broken_off->proof) {
    const auto file = keep_evidence(
        options_.folder,
        {.proof = *proof,
         .server_key = identity_.roster.signing_key,
         .server = identity_.roster.server.text(),
         .seen_by = identity_.name,
         .heard_from = identity_.roster.clients[static_cast<std::size_t>(proof->heard_from)].name});
    if (file) refused.evidence = file->string();
    if (!file) log::error("cannot keep the evidence: {}", file.error().message);
  }
  if (const auto noted = note_refused(options_.folder, refused); !noted) {
    log::error("cannot note the refusal: {}", noted.error().message);
  }
  if (failed_) failed_ = Error{ErrorCode::kRefused, "this client refuses: " + refused.reason};
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
