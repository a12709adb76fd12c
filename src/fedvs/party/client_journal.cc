// What a client writes down before it answers: its state, and what outlives a run.
#include <ctime>

#include "fedvs/base/log.h"
#include "fedvs/party/client_party.h"
#include "fedvs/party/evidence.h"
#include "fedvs/party/refused.h"

namespace fedvs::party {

Status ClientParty::note(const protocol::MessagePtr& message) {
  FEDVS_TRY_STATUS(state_.note(*client_, message));
  FEDVS_TRY_STATUS(pin());
  FEDVS_TRY_STATUS(keep_groups());
  const auto* step = std::get_if<protocol::Step>(message.get());
  const bool accepted = step != nullptr && step->plan && client_->plan() == step->plan;
  return accepted ? note_plan_of(*step) : Status{};
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
Status ClientParty::note_plan_of(const protocol::Step& step) {
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

// Others hear of it even if it cannot be written down; then the run ends.
void ClientParty::note_broken_off() {
  const auto& broken_off = *client_->broken_off();
  RefusedFor refused{
      .reason = broken_off.reason, .revision = broken_off.revision, .at = std::time(nullptr)};
  if (const auto& proof = broken_off.proof) {
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

}  // namespace fedvs::party
