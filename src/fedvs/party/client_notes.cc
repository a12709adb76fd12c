#include "fedvs/party/client_notes.h"

#include <ctime>
#include <utility>

#include "fedvs/base/log.h"
#include "fedvs/party/evidence.h"
#include "fedvs/party/refused.h"

namespace fedvs::party {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

ClientNotes::ClientNotes(ClientKit& kit, const wire::Terms& terms, protocol::Client& client)
    : kit_(kit),
      terms_(terms),
      client_(client),
      pace_(Clock::now(),
            std::chrono::duration_cast<Clock::duration>(
                std::chrono::duration<double>(kit.save_every)),
            static_cast<protocol::StepNumber>(kit.identity.job.protocol.max_catch_up) / 2) {}

Status ClientNotes::note(const protocol::MessagePtr& message) {
  FEDVS_TRY_STATUS(kit_.state.note(client_, message));
  FEDVS_TRY_STATUS(note_rows_line_up());
  FEDVS_TRY_STATUS(note_groups());
  const auto* step = std::get_if<protocol::Step>(message.get());
  const bool accepted = step != nullptr && step->plan && client_.plan() == step->plan;
  return accepted ? note_plan_of(*step) : Status{};
}

// Before any row, or any version of its model, is sent. Once all are known to have the same rows,
// the client takes part in this run and no other, and its table is not needed any more. By the
// server's word alone, that training has begun, a model may be asked for, but no rows: then only
// the client's own sharing is noted.
Status ClientNotes::note_rows_line_up() {
  const auto& welcome = client_.welcome();
  if (welcome.clients.empty() || !(client_.rows_line_up() || welcome.training)) return {};
  if (kit_.groups && !std::exchange(own_sharing_noted_, true)) {
    FEDVS_TRY_STATUS(note_run(RunMemory::Whose::kOwn));
  }
  if (!client_.rows_line_up() || std::exchange(rows_noted_, true)) return {};
  kit_.rows.drop_table();
  if (kit_.groups && !client_.bound_groups().empty()) {
    FEDVS_TRY_STATUS(kit_.groups->keep(client_.bound_groups()));
  }
  return kit_.state.terms() ? Status{} : kit_.state.agree(terms_);
}

// Whether a plan named them that it answers, or one that only others did. Groups of a plan that it
// refuses are not remembered.
Status ClientNotes::note_groups() {
  if (!kit_.groups || !client_.groups() || client_.broken_off()) return {};
  return std::exchange(groups_noted_, true) ? Status{} : kit_.groups->keep(*client_.groups());
}

// A step whose plan it has accepted, before it is answered. A group that stands still names
// versions that nobody may be able to send again. Scoring goes on with the models that it began
// with.
Status ClientNotes::note_plan_of(const protocol::Step& step) {
  if (std::exchange(frozen_, step.frozen) != step.frozen) pace_.hurry();
  if (auto& trained = kit_.trained; trained && !trained->versions) {
    trained->versions = kit_.state.terms()->versions;
    FEDVS_TRY_STATUS(keep_versions(kit_.folder, *trained->versions));
  }
  if (!kit_.groups || std::exchange(all_sharings_noted_, true)) return {};
  return note_run(RunMemory::Whose::kEverybodys);
}

Status ClientNotes::note_run(RunMemory::Whose whose) const {
  const auto& sharings = client_.welcome().sharings;
  Hasher hasher;
  for (std::size_t n = 0; n < sharings.size(); ++n) {
    const bool own = static_cast<int>(n) == client_.number();
    if (own || whose == RunMemory::Whose::kEverybodys) hasher.add(sharings[n].bytes);
  }
  FEDVS_TRY(auto runs, RunMemory::open(kit_.folder / "runs.ckpt"));
  return runs.keep(client_.heads()->run(), whose, hasher.finish());
}

// The others are told even if it cannot be written down; then the run ends.
void ClientNotes::note_broken_off() {
  const auto& broken_off = *client_.broken_off();
  RefusedFor refused{
      .reason = broken_off.reason, .revision = broken_off.revision, .at = std::time(nullptr)};
  if (const auto& proof = broken_off.proof) {
    const auto& roster = kit_.identity.roster;
    const auto file = keep_evidence(
        kit_.folder,
        {.proof = *proof,
         .server_key = roster.signing_key,
         .server = roster.server.text(),
         .seen_by = kit_.identity.name,
         .heard_from = roster.clients[static_cast<std::size_t>(proof->heard_from)].name});
    if (file) refused.evidence = file->string();
    if (!file) log::error("cannot keep the evidence: {}", file.error().message);
  }
  if (const auto noted = note_refused(kit_.folder, refused); !noted) {
    log::error("cannot note the refusal: {}", noted.error().message);
  }
  if (status_) status_ = Error{ErrorCode::kRefused, "this client refuses: " + refused.reason};
}

void ClientNotes::save_if_due() {
  if (pace_.is_due(Clock::now(), client_.model().step())) save();
}

void ClientNotes::save() {
  if (!kit_.state.terms()) return;
  const auto began = Clock::now();
  if (const auto saved = kit_.state.save(client_); !saved) {
    log::error("cannot save: {}", saved.error().message);
    if (status_) status_ = saved;
  }
  pace_.note_saved(began, Clock::now(), client_.model().step());
}

}  // namespace fedvs::party
