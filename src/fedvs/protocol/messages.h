// What parties say to each other. Immutable once sent, so that one object serves all recipients of
// a broadcast in one process.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "fedvs/base/wipe.h"
#include "fedvs/field/ring_matrix.h"
#include "fedvs/protocol/heads.h"
#include "fedvs/protocol/plan.h"
#include "fedvs/protocol/share.h"

namespace fedvs::protocol {

using MatrixPtr = std::shared_ptr<const field::RingMatrix>;

struct HeldVersion {
  StepNumber step = 0;
  std::uint32_t short_id = 0;  // of the sender's incarnation
  auto operator<=>(const HeldVersion&) const = default;
};

// ---- before training
// What others seal for a life with: its own key, signed by whose life it is (party/life_card.h).
// Empty where all live in one process and nobody seals.
struct LifeCard {
  std::array<std::uint8_t, 32> key{};
  std::string signature;
  bool operator==(const LifeCard&) const = default;
};
struct Hello {  // client -> server, and again whenever it comes back
  int from;
  Incarnation incarnation;
  StepNumber step = 0;                  // gradients applied
  Digest chain{};                       // their link
  LifeCard card = {};                   // of this incarnation
  SharingId sharing = {};               // of its own rows
  Digest seeds = {};                    // of the list of mask seeds that it makes (seed_book.h)
  Groups groups = {};                   // that runs over these rows bind it to; empty: it is free
  std::optional<SignedHead> head = {};  // of its chain of plans; here and below: where plans are
                                        // signed, in networked runs
};
struct Welcome {  // server -> clients, and again whenever somebody has come back
  Incarnation server;
  std::vector<Incarnation> clients;
  bool training = false;             // the first plan has been made
  std::vector<LifeCard> cards = {};  // per client, beside its incarnation; none where nobody seals
  std::vector<SharingId> sharings = {};  // per client: whose shares are to be held by everybody
  std::vector<Digest> seeds = {};        // per client: of its list of mask seeds
  // Per client: the step of its model that plans name now, or that the run's last one named; empty
  // before training. One that comes back and has lost that version makes it again on the way.
  std::vector<std::optional<StepNumber>> named = {};
};
// Whether all clients have the same rows in the same order, before any of them is shared. The key
// is drawn by the first client and unknown to the server.
struct RowKey {  // client 1 -> clients
  int from;
  std::array<std::uint8_t, 32> key;
};
struct RowCheck {  // client -> clients
  int from;
  std::uint64_t rows;
  Digest digest;       // of the ids of all its rows, under the key
  Groups groups = {};  // that an earlier run over any of these rows binds it to; empty: none
};
struct RowVerdict {  // client -> server: what came of comparing; digests stay among the clients
  int from;
  Incarnation incarnation;  // of the life that compared
  std::vector<int> differ;  // from most of the clients, in rising order; none: all are the same
};
struct DataRequest {  // client -> client: where rows are fetched, not pushed; answered by DataShare
  int from;
  data::Part part;
  std::size_t first_row;
};
struct DataShare {  // client -> client: F_n(alpha_m) of some coded rows, Eq. (2)
  int from;
  data::Part part;
  std::size_t first_row;
  MatrixPtr values;  // rows x inputs of the sender, in one row; null where nobody keeps them
  SharingId sharing = {};
};

// The seeds that masks are drawn from, once per run: sealed, and only to who may know them.
struct SeedEntry {
  std::uint32_t set = 0;  // of the family, from 0
  Key256 seed{};
  ~SeedEntry() { wipe(std::span(seed)); }
};
struct SeedShare {  // client -> client: what the sender holds of a maker's seeds
  int from;
  int maker;
  std::vector<Digest> commitments;  // to all that it makes, in the family's order
  std::vector<SeedEntry> seeds;     // those that neither sender nor recipient may not know
};
struct SeedRequest {  // client -> clients, from one that has lost some: all that I may know
  int from;
};

// ---- every round
struct ModelShare {  // client -> client: G_n(alpha_m), Eq. (4)
  int from;
  Version version;
  Digest chain;                         // link of the gradients applied so far
  SharePtr values;                      // W~ in the product's panels (field/panels.h)
  std::optional<SignedHead> head = {};  // the sender's
};
struct Echo {  // client -> client: which plans the sender was shown
  int from;
  SignedHead head;
  // kTell: the sender's own. kAsk: so, and the recipient is to tell its own. kWarn: one of two that
  // the server has signed for one index; not the sender's word on its own chain.
  enum class Kind : std::uint8_t { kTell, kAsk, kWarn };
  Kind kind = Kind::kTell;
};
struct ModelRequest {  // client -> client, from one that came back: the newest that you have shared
  int from;
  std::optional<HeldVersion> held;  // unless it is this one
};
// What a client holds, in a few bytes: the newest version of every sender's model.
struct Holdings {
  std::vector<std::optional<HeldVersion>> newest;
  // Versions besides the newest, in reports of a client that lives apart: a server that came back
  // knows of none. More than plans can name; messages with more per sender are refused (net/wire).
  static constexpr int kOlder = 32;  // of every sender
  struct Older {
    int sender = 0;
    HeldVersion version;
    auto operator<=>(const Older&) const = default;
  };
  std::vector<Older> older;
  bool data_complete = false;  // the rows of everybody, and the seeds of all masks
  // By sender: coded rows that have come, in reports of a client that still lacks some; else empty.
  std::vector<std::uint64_t> rows_held;
  StepNumber saved = 0;  // it can start again from here: older gradients are not needed any more
};
struct Step {  // server -> clients: the gradient of the round before, and the next plan
  std::shared_ptr<const Gradient> gradient;  // null where no round came before
  std::vector<bool> share;                   // per client: share the version of this step now
  std::shared_ptr<const Plan> plan;          // null while the server still collects (drop)
  std::shared_ptr<const Groups> groups;      // null during warm-up
  std::vector<bool> frozen;             // per client: in a group with a dead member: of any age
  std::vector<bool> released;           // per client: dead, and let go by the rest of its group
  double rate_factor = 1;               // learning rates are multiplied by it after the gradient
  std::optional<SignedHead> head = {};  // of the chain that ends in this plan
};
struct MissedPlan {   // server -> client: made while it was away; to be judged, not to be answered
  Step step;          // as it was sent to the others, without a gradient
  bool more = false;  // more of them follow, or a plan does
};
struct Upload {  // client -> server: psi(alpha_m) of the plan's rows, Eq. (5), masked
  int from;
  std::uint64_t revision;
  Digest tag{};      // upload_tag of the plan's content as this client knows it (plan_content.h)
  MatrixPtr values;  // rows x width; its driver has it filled before the server opens it
  Holdings holdings;
};
struct Report {  // client -> server
  int from;
  Holdings holdings;
  bool finished = false;  // the run is over for it, and its last model is saved
  // It could upload, and waits for others' word that they were shown the same plans: how many
  // agree.
  std::optional<int> agreeing = {};
};
struct ReportRequest {  // server -> clients
  // Nothing has moved for long: chunks of rows that were asked for and have not come may be lost.
  bool fetch_again = false;
};
struct Refusal {  // client -> server: what the server did that this client will have no part in
  int from;
  std::uint64_t revision;
  std::string reason;
};
struct Complaint {  // client -> server: what it got from another client and dropped
  int from;
  int about;
  std::string reason;
};

// ---- starting over, and the end
struct Regather {};  // server -> clients: one has come back before training; say hello once more
enum class Ending : std::uint8_t { kFinished, kStopped, kFailed, kRefused };
struct Farewell {  // server -> client: the run is over, or goes on without this client
  Ending ending;
  std::string reason;
};

using Message =
    std::variant<Hello, Welcome, RowKey, RowCheck, DataRequest, DataShare, ModelShare, SeedShare,
                 Step, Upload, Report, ReportRequest, Refusal, Regather, Farewell, ModelRequest,
                 RowVerdict, Complaint, MissedPlan, Echo, SeedRequest>;
using MessagePtr = std::shared_ptr<const Message>;

template <class M>
MessagePtr make_message(M message) {
  return std::make_shared<const Message>(std::move(message));
}

}  // namespace fedvs::protocol
