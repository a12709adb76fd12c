#include "fedvs/party/client_party.h"

#include "fedvs/base/log.h"
#include "fedvs/party/outgoing.h"
#include "fedvs/party/refused.h"
#include "fedvs/protocol/sender.h"

namespace fedvs::party {
namespace {

using protocol::kServer;
using std::chrono::milliseconds;

constexpr int kMostEventsInARow = 16;      // then one thing that can wait
constexpr auto kTurn = milliseconds(200);  // the longest that a turn waits for an event
constexpr auto kSoon = milliseconds(20);   // while something waits for room in the link's queue

Status ended_as(const protocol::Farewell& farewell) {
  switch (farewell.ending) {
    case protocol::Ending::kFinished:
      return {};
    case protocol::Ending::kStopped:
      return Error{ErrorCode::kStopped, farewell.reason};
    case protocol::Ending::kRefused:
      return Error{ErrorCode::kRefused, farewell.reason};
    default:
      return Error{ErrorCode::kTooFewShares, "the server ended the run: " + farewell.reason};
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
  OwnRows own(std::move(rows), identity.data_key, options.trained);
  ClientKit kit{.identity = std::move(identity),
                .folder = options.folder,
                .trained = std::exchange(options.trained, std::nullopt),
                .rows = std::move(own),
                .state = std::move(state),
                .post = std::move(post),
                .groups = std::move(groups),
                .save_every = options.save_every};
  return std::unique_ptr<ClientParty>(new ClientParty(std::move(kit), std::move(options)));
}

ClientParty::ClientParty(ClientKit kit, ClientPartyOptions options)
    : kit_(std::move(kit)), options_(std::move(options)), uplink_(kit_.identity, options_.limits) {}

// Before the agreement nothing is expected but terms.
wire::EnvelopeLimits ClientParty::envelope_limits() const {
  return {.parties = static_cast<int>(kit_.identity.roster.clients.size()),
          .contents = run_ ? wire::largest_message(run_->agreement()) : 0};
}

Status ClientParty::run() {
  FEDVS_TRY_STATUS(
      uplink_.open(kit_.identity, options_.server, wire::largest_envelope(envelope_limits())));
  Status status;
  while (status && !is_over()) status = turn();
  if (status) status = ended_as(*run_->client().farewell());
  if (status) {
    if (run_->client().was_away_at_the_end())
      log::info("the run has finished; fetched what was missing");
    kit_.state.note_finished();
  }
  if (run_) run_->notes().save();
  if (status) status = run_->notes().status();
  // So that the server need not stay for it.
  if (status) tell_server(in_the_open(*run_->client().last_report()));
  uplink_.stop();
  return status;
}

Status ClientParty::turn() {
  if (options_.stop()) return Error{ErrorCode::kStopped, "stopped and saved"};
  if (uplink_.away() > options_.give_up_after) {
    return Error{ErrorCode::kTooFewShares, uplink_.why_away()};
  }
  // What can wait does while the link is full, so that questions are answered meanwhile.
  const bool waits = run_ && run_->driver().has_background();
  const bool may_work = waits && uplink_.has_room_for_rows();
  const auto patience = may_work ? milliseconds(0) : waits ? kSoon : kTurn;
  const auto event = uplink_.take(Uplink::Clock::now() + patience);
  if (event) FEDVS_TRY_STATUS(std::visit([this](const auto& e) { return on(e); }, *event));
  const bool its_turn = !event || ++events_in_a_row_ >= kMostEventsInARow;
  if (its_turn) events_in_a_row_ = 0;
  if (!run_) return {};
  if (its_turn && may_work) FEDVS_TRY_STATUS(run_->driver().run_background());
  run_->notes().save_if_due();
  return run_->notes().status();
}

Status ClientParty::on(const Uplink::Connected&) {
  const auto& self = kit_.identity;
  tell_server(wire::encode(
      wire::Envelope(wire::Introduction{.job_digest = self.job_digest,
                                        .roster_digest = deploy::fingerprint(self.roster),
                                        .name = self.name,
                                        .features = static_cast<std::uint32_t>(kit_.rows.columns()),
                                        .rows = kit_.rows.count(),
                                        .data_id = kit_.rows.data_id()})));
  return {};
}

// Whoever asked for rows over it asks again.
Status ClientParty::on(const Uplink::Disconnected& gone) {
  if (gone.refused) return Error{ErrorCode::kRefused, "the server refuses: " + gone.reason};
  if (run_) run_->driver().forget_background();
  return {};
}

// What cannot be read is dropped with its reason: neither the server nor a client that sends
// nonsense can stop another one.
Status ClientParty::on(const Uplink::Arrived& arrived) {
  auto envelope = wire::decode_envelope(envelope_limits(), *arrived.bytes);
  if (!envelope) {
    uplink_.warn_about(arrived.from, "dropped a parcel: " + envelope.error().message);
    return {};
  }
  const auto* sealed = std::get_if<wire::Sealed>(&*envelope);
  if ((sealed != nullptr ? sealed->from : kServer) != arrived.from) {
    uplink_.warn_about(arrived.from, "dropped a parcel that is not from whom it says");
    return {};
  }
  return std::visit([this](auto& e) { return take(std::move(e)); }, *envelope);
}

// Tells the server before it ends: its operator should know why.
Status ClientParty::take(wire::RowsOffer&& offer) {
  const Status same = kit_.rows.check(offer);
  tell_server(wire::encode(wire::Envelope(wire::RowsAnswer{same.has_value()})));
  return same;
}

// Other terms than before, which is possible before rows were shared: somebody came with another
// file.
Status ClientParty::take(wire::Terms&& terms) {
  FEDVS_TRY_STATUS(kit_.state.check(terms));
  if (run_ && terms != run_->terms()) run_.reset();
  if (!run_) {
    FEDVS_TRY(run_, ClientRun::begin(kit_, terms, *this));
    uplink_.set_largest_parcel(wire::largest_envelope(envelope_limits()));
  }
  return run_->say_hello();
}

Status ClientParty::take(wire::OpenMessage&& open) {
  if (!run_) return {};
  auto message = wire::decode(run_->agreement(), open.bytes);
  if (!message) {
    log::warning("dropped a message of the server: {}", message.error().message);
    return {};
  }
  if (protocol::sender_of(**message) != kServer) {
    log::warning("dropped a message of the server that says it is a client's");
    return {};
  }
  return run_->receive(*message);
}

Status ClientParty::take(wire::Sealed&& sealed) {
  if (!run_) return {};
  auto message = run_->open(sealed);
  if (message) return run_->receive(*message);
  uplink_.warn_about(sealed.from, message.error().message);
  run_->keep_unopened(std::move(sealed));
  return {};
}

void ClientParty::send(int to, protocol::Lane lane, const protocol::MessagePtr& message) {
  if (to == kServer) return uplink_.send(kServer, lane, in_the_open(*message));
  // Of a life before, or to one: whoever needs it asks again.
  auto sealed = kit_.post.seal(to, *message);
  if (!sealed) return log::debug("{}", sealed.error().message);
  uplink_.send(to, lane, std::move(*sealed));
}

void ClientParty::tell_server(std::string envelope) {
  uplink_.send(kServer, protocol::Lane::kControl, std::move(envelope));
}

}  // namespace fedvs::party
