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

using std::chrono::milliseconds;

constexpr auto kTurn = milliseconds(200);
constexpr auto kSayEvery = std::chrono::seconds(10);
constexpr auto kShowEvery = milliseconds(200);
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
    : options_(std::move(options)),
      kit_{.identity = std::move(identity),
           .trained = std::exchange(options_.trained, std::nullopt),
           .labels = std::move(labels),
           .classes = std::move(classes),
           .state = std::move(state),
           .groups = std::move(groups),
           .door = Door(kit_.identity, rows)},
      watch_(roster().client_names(), observer),
      reception_(client_count()),
      hellos_(client_count(), kHellosAtOnce, kSecondsPerHello),
      notes_(client_count(), kNotesAtOnce, kSecondsPerNote),
      says_(kSayEvery, waiting_since_),
      shows_(kShowEvery, {}) {}

const std::string* ServerParty::saved_totals() const {
  return kit_.state.standing() ? &kit_.state.standing()->totals : nullptr;
}

Status ServerParty::resume() {
  const auto& run = kit_.state.run();
  if (!run || !run->settled) return {};  // nobody has shared anything
  FEDVS_TRY_STATUS(kit_.door.restore(run->door));
  kit_.door.settle();
  if (const auto& standing = kit_.state.standing()) {
    kit_.clock.go_on(standing->seconds);
    kit_.restarts = standing->restarts + 1;
  }
  return make_run();
}

// All clients have said how many columns they have: everybody can compute the agreement. A run that
// was begun before and came to nothing keeps its id, for a client that has noted it already.
Status ServerParty::begin_run() {
  ServerState::Run run{
      .id = {}, .seed = 0, .door = kit_.door.save(), .classes = kit_.classes, .settled = false};
  if (const auto& before = kit_.state.run()) {
    run.id = before->id;
    run.seed = before->seed;
  } else {
    Prng::from_os().fill(run.id);
    run.seed = draw_run_seed(job());
  }
  FEDVS_TRY_STATUS(kit_.state.begin(run));
  FEDVS_TRY_STATUS(make_run());
  reception_.set_largest_parcel(wire::largest_envelope(envelope_limits()));
  watch_.on_note(fmt::format("all {} clients have come", client_count()));
  const auto terms = wire::encode(wire::Envelope(kit_.terms()));
  for (int n = 0; n < client_count(); ++n) {
    if (reception_.seats().stage(n) == Stage::kCome) reception_.tell(n, terms);
  }
  return {};
}

Status ServerParty::make_run() {
  FEDVS_TRY(run_, ServerRun::make(kit_, {.observer = watch_,
                                         .outbox = reception_,
                                         .totals = [this] { return totals(); },
                                         .wait_for_return = options_.wait_for_clients}));
  largest_message_ = wire::largest_message(run_->agreement());
  return {};
}

Status ServerParty::listen() {
  return reception_.open(kit_.identity, options_.listen, options_.limits,
                         wire::largest_envelope(envelope_limits()));
}

Status ServerParty::run() {
  if (kit_.restarts > 0 && !finished_before())
    watch_.on_note(fmt::format("the server is back, in round {}", run_->server().rounds()));
  Status status;
  while (status && !(run_ && run_->server().done())) status = turn();
  return finish(std::move(status));
}

Status ServerParty::turn() {
  FEDVS_TRY_STATUS(check_stop());
  FEDVS_TRY_STATUS(check_waiting());
  auto until = Clock::now() + kTurn;
  if (run_ && std::isfinite(run_->server().next_deadline())) {
    until = std::min(until, kit_.clock.at(run_->server().next_deadline()));
  }
  FEDVS_TRY_STATUS(heed_one(until));
  if (run_) {
    FEDVS_TRY_STATUS(run_->driver().tick());
    FEDVS_TRY_STATUS(run_->server().status());
  }
  show();
  return {};
}

// One event, or none by then; and hellos that came too soon before.
Status ServerParty::heed_one(Clock::time_point until) {
  if (const auto event = reception_.take(until)) {
    FEDVS_TRY_STATUS(std::visit([this](const auto& e) { return on(e); }, *event));
  }
  while (const auto hello = hellos_.due(now())) FEDVS_TRY_STATUS(let_in(hello));
  return {};
}

// A stop ends the round in training, and everything else at once.
Status ServerParty::check_stop() {
  if (!options_.stop()) return {};
  if (!run_ || !run_->server().training_started() || run_->server().awaits_clients()) {
    return Error{ErrorCode::kStopped, "stopped before training"};
  }
  // No round is open that could be finished first.
  if (run_->server().stands_by()) {
    return Error{ErrorCode::kStopped, "stopped while it waited for clients to learn"};
  }
  run_->server().stop_after_round();
  if (!std::exchange(stopping_, true)) watch_.on_note("stopping after this round");
  return {};
}

Status ServerParty::check_waiting() {
  if (run_) return {};
  std::string names;
  for (int n : kit_.door.missing()) names += " " + name(n);
  const auto waited = std::chrono::duration<double>(Clock::now() - waiting_since_).count();
  if (waited > options_.wait_for_clients) {
    return Error{ErrorCode::kTooFewShares,
                 fmt::format("after {:.0f} s these clients have not come:{}", waited, names)};
  }
  if (says_.due(Clock::now())) log::info("waiting for{}", names);
  return {};
}

}  // namespace fedvs::party
