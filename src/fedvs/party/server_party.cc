#include "fedvs/party/server_party.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fedvs/base/log.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/party/party_secrets.h"
#include "fedvs/store/set_aside.h"

namespace fedvs::party {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr auto kTurn = milliseconds(200);
constexpr auto kSayMissingEvery = std::chrono::seconds(10);
// Of one client. Before training everybody says hello again whenever somebody comes back.
constexpr double kHellosAtOnce = 16, kSecondsPerHello = 1;
constexpr double kNotesAtOnce = 64, kSecondsPerNote = 5;

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

// Of earlier runs. What is damaged is set aside: the clients remember, and it goes by their word.
Result<GroupMemory> earlier_groups(const std::filesystem::path& folder, const RowMarks& rows) {
  const auto file = folder / "groups.ckpt";
  auto memory = GroupMemory::open(file, rows);
  if (memory || memory.error().code != ErrorCode::kCorrupt) return memory;
  FEDVS_TRY_STATUS(store::set_aside(file, memory.error().message));
  return GroupMemory::open(file, rows);
}

}  // namespace

Result<std::unique_ptr<ServerParty>> ServerParty::create(deploy::ServerFolder identity,
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
  FEDVS_TRY(auto groups, earlier_groups(options.folder, row_marks({}, labels.rows.ids)));
  ClassNames classes{labels.class_names, prepared.class_names};
  std::unique_ptr<ServerParty> party(
      new ServerParty(std::move(identity), std::move(prepared), rows, std::move(classes),
                      std::move(options), std::move(state), std::move(groups), observer));
  FEDVS_TRY_STATUS(party->resume());
  return party;
}

ServerParty::ServerParty(deploy::ServerFolder identity, data::PreparedLabels labels,
                         const ServerRows& rows, ClassNames classes, ServerPartyOptions options,
                         ServerState state, GroupMemory groups, protocol::Observer& observer)
    : identity_(std::move(identity)),
      labels_(std::move(labels)),
      classes_(std::move(classes)),
      options_(std::move(options)),
      state_(std::move(state)),
      groups_(std::move(groups)),
      door_(identity_, rows),
      verdicts_(client_count()),
      watch_(identity_.roster.client_names(), observer),
      secrets_(server_secrets(identity_.job)),
      seats_(identity_.roster.clients.size()),
      hellos_(client_count(), kHellosAtOnce, kSecondsPerHello),
      notes_(client_count(), kNotesAtOnce, kSecondsPerNote) {
  if (!options_.trained) return;
  totals = [this] { return server_->done() ? learner_->save_predictions() : std::string(); };
}

ServerParty::~ServerParty() { mail_.close(); }

const std::string* ServerParty::saved_totals() const {
  return state_.standing() ? &state_.standing()->totals : nullptr;
}

bool ServerParty::finished_before() const { return state_.standing() && state_.standing()->done; }

double ServerParty::now() const {
  return seconds_before_ + duration<double>(Clock::now() - started_).count();
}

// Before the first step that names them is sent.
Status ServerParty::keep_groups() {
  if (options_.trained || !server_->groups() || std::exchange(groups_kept_, true)) return {};
  return groups_.keep(*server_->groups());
}

// Before anything is sent that depends on it. A model that is saved is never ahead of the server's
// notes, but complete when they say that the run is over.
Status ServerParty::save(Moment moment) {
  FEDVS_TRY_STATUS(keep_groups());
  FEDVS_TRY_STATUS(settle());
  FEDVS_TRY_STATUS(state_.note_learned(learner_->take_news()));
  const bool done = server_->done();
  if (done) FEDVS_TRY_STATUS(save_central());
  const auto* plan = server_->last_plan();
  FEDVS_TRY_STATUS(state_.save({.server = server_->save(),
                                .totals = totals(),
                                .seconds = now(),
                                .restarts = restarts_,
                                .done = done,
                                .versions = plan != nullptr ? versions_of(*plan) : Versions{}}));
  const bool due = state_.central_due() && !server_->evaluating();
  return !done && (due || moment == Moment::kLast) ? save_central() : Status{};
}

Status ServerParty::save_central() {
  if (options_.trained) return {};
  return state_.save_central({.model = learner_->central().save(),
                              .rounds = learner_->rounds(),
                              .rate_changes = learner_->rate_changes()},
                             /*notes_done=*/!server_->evaluating());
}

Status ServerParty::run() {
  if (restarts_ > 0 && !finished_before())
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
  FEDVS_TRY_STATUS(heed_one(until));
  if (server_) {
    FEDVS_TRY_STATUS(driver_->tick());
    FEDVS_TRY_STATUS(server_->status());
  }
  show();
  return {};
}

// One event, or none by then; and hellos that came too soon before.
Status ServerParty::heed_one(Clock::time_point until) {
  if (auto event = mail_.take(until)) {
    FEDVS_TRY_STATUS(std::visit([this](const auto& e) { return on(e); }, *event));
  }
  while (const auto hello = hellos_.due(now())) FEDVS_TRY_STATUS(let_in(hello));
  return {};
}

// A stop ends the round in training, and everything else at once.
Status ServerParty::check_waiting() {
  if (options_.stop()) {
    if (!server_ || !server_->training_started() || server_->awaits_clients()) {
      return Error{ErrorCode::kStopped, "stopped before training"};
    }
    // No round is open that could be finished first.
    if (server_->stands_by()) {
      return Error{ErrorCode::kStopped, "stopped while it waited for clients to learn"};
    }
    server_->stop_after_round();
    if (!std::exchange(stopping_, true)) watch_.on_note("stopping after this round");
  }
  if (server_) return {};
  std::string names;
  for (int n : door_.missing()) names += " " + name(n);
  const double waited = duration<double>(Clock::now() - waiting_since_).count();
  if (waited > options_.wait_for_clients) {
    return Error{ErrorCode::kTooFewShares,
                 fmt::format("after {:.0f} s these clients have not come:{}", waited, names)};
  }
  if (Clock::now() - said_missing_ >= kSayMissingEvery) {
    said_missing_ = Clock::now();
    log::info("waiting for{}", names);
  }
  return {};
}

}  // namespace fedvs::party
