#include "fedvs/party/client_state.h"

#include <fmt/format.h>

#include <map>

#include "fedvs/base/files.h"
#include "fedvs/base/log.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/store/checkpoint.h"

namespace fedvs::party {

using Sync = store::RecordLog::Sync;

Result<ClientState> ClientState::open(std::filesystem::path state, int parties) {
  FEDVS_TRY_STATUS(make_private_folder(state));
  ClientState opened(std::move(state), parties);
  FEDVS_TRY_STATUS(opened.read_terms());
  FEDVS_TRY_STATUS(opened.read_checkpoint());
  const auto generation = opened.checkpoint_.generation;
  if (!opened.terms_ && generation == 0) FEDVS_TRY_STATUS(opened.remove_attempt());
  FEDVS_TRY(opened.plans_, PlanNotes::open(opened.folder_, generation));
  FEDVS_TRY(opened.rows_, RowNotes::open(opened.folder_ / "rows.index"));
  return opened;
}

// What came of others before rows were shared, in a run that came to nothing. Notes of plans are
// never forgotten, whatever else is missing.
Status ClientState::remove_attempt() const {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
    const std::string name = entry.path().filename().string();
    const bool of_attempt = name == "models" || name == "rows.index" || name == "columns.ckpt" ||
                            name == "seeds.ckpt" || name.starts_with("coded-rows-");
    if (of_attempt && !std::filesystem::remove(entry.path(), failed)) break;
  }
  if (failed) return file_error("clear", folder_, failed.value());
  return {};
}

Status ClientState::read_terms() {
  if (!std::filesystem::exists(folder_ / "terms")) return {};
  FEDVS_TRY(auto parts, store::read_checkpoint(folder_ / "terms", kClientRemedy));
  const wire::EnvelopeLimits limits{.parties = parties_, .contents = 0};
  auto envelope = wire::decode_envelope(limits, parts["terms"]);
  if (!envelope) {
    return Error{envelope.error().code,
                 fmt::format("{}: {}; a run is finished with the version that it was begun with",
                             (folder_ / "terms").string(), envelope.error().message)};
  }
  terms_ = std::get<wire::Terms>(std::move(*envelope));
  return {};
}

Status ClientState::read_checkpoint() {
  const auto file = folder_ / "client.ckpt";
  if (!std::filesystem::exists(file)) return {};
  FEDVS_TRY(checkpoint_, read_client(file));
  return {};
}

Status ClientState::check(const wire::Terms& terms) const {
  if (!terms_ || *terms_ == terms) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the server now offers another run than the one that {} began: other "
                           "rows, columns or run id; restore the server's folder, or move {} away "
                           "to start anew",
                           folder_.string(), folder_.string())};
}

Status ClientState::agree(const wire::Terms& terms) {
  FEDVS_TRY_STATUS(check(terms));
  if (terms_) return {};
  terms_ = terms;
  return store::write_checkpoint(folder_ / "terms",
                                 {{"terms", wire::encode(wire::Envelope(terms))}});
}

Status ClientState::keep(const Columns& columns) {
  return write_columns(folder_ / "columns.ckpt", columns);
}

Result<Columns> ClientState::columns() const { return read_columns(folder_ / "columns.ckpt"); }

Result<protocol::SavedParts> ClientState::parts() const {
  return protocol::parts_of(checkpoint_.client.view(), parties_);
}

Result<std::unique_ptr<protocol::CodedRows>> ClientState::rows(
    const protocol::Agreement& agreement) const {
  return protocol::lasting_rows(agreement, folder_);
}

Result<std::size_t> ClientState::recall(const protocol::Agreement& agreement,
                                        protocol::Client& client) {
  if (!checkpoint_.client.empty()) {
    FEDVS_TRY_STATUS(client.restore(checkpoint_.client.view()));
  }
  FEDVS_TRY_STATUS(recall_seeds(client));
  FEDVS_TRY_STATUS(recall_models(agreement, client));
  if (plans_->checkpoint_is_lost()) {  // it is told of all plans since, in order
    log::warning(
        "{} is missing or older than the notes beside it; this client goes on from step "
        "{} with the gradients and plans that the server has kept",
        (folder_ / "client.ckpt").string(), client.model().step());
  } else {
    FEDVS_TRY_STATUS(plans_->recall(agreement, client, checkpoint_.named));
  }
  FEDVS_TRY(const auto torn, rows_->recall(agreement, client));
  checkpoint_.client = {};
  checkpoint_.models.clear();
  return torn;
}

Status ClientState::recall_models(const protocol::Agreement& agreement, protocol::Client& client) {
  for (const auto& model : checkpoint_.models) {
    FEDVS_TRY_STATUS(recall_model(agreement, client, model.view()));
  }
  FEDVS_TRY(models_, ModelNotes::open(folder_ / "models", agreement));
  models_->recall(agreement, client);
  return {};
}

Status ClientState::note(const protocol::Client& client, const protocol::MessagePtr& message) {
  if (const auto* share = std::get_if<protocol::ModelShare>(message.get())) models_->add(*share);
  FEDVS_TRY_STATUS(note_seeds(client));
  const auto* step = std::get_if<protocol::Step>(message.get());
  if (step != nullptr && step->plan && client.plan() == step->plan) {
    FEDVS_TRY_STATUS(note_plan(*step));
  }
  if (const auto* missed = std::get_if<protocol::MissedPlan>(message.get())) {
    FEDVS_TRY_STATUS(note_missed(client, missed->step));
  }
  const auto* rows = std::get_if<protocol::DataShare>(message.get());
  const bool kept = rows != nullptr && rows->values &&
                    client.held_sharing(rows->from, rows->part, rows->first_row) == rows->sharing;
  return kept ? rows_->add(client, *rows) : Status{};
}

// Without them the client could answer no plan; all seeds would be gone if all clients were killed.
Status ClientState::note_seeds(const protocol::Client& client) {
  if (seeds_noted_ == client.seeds().changes()) return {};
  const auto seeds = SecretText::take(client.seeds().save());
  FEDVS_TRY_STATUS(write_seeds(folder_ / "seeds.ckpt", seeds));
  seeds_noted_ = client.seeds().changes();
  return {};
}

Status ClientState::recall_seeds(protocol::Client& client) {
  if (!std::filesystem::exists(folder_ / "seeds.ckpt")) return {};
  const auto seeds = read_seeds(folder_ / "seeds.ckpt");
  if (!seeds) {
    log::warning("{}; other clients are asked for the seeds of masks", seeds.error().message);
    return {};
  }
  return client.recall_seeds(seeds->view());
}

// Of a plan that the client has accepted, before it may be answered: on the disk when it returns.
Status ClientState::note_plan(const protocol::Step& step) {
  checkpoint_.named = versions_of(*step.plan);
  return plans_->add(step, Sync::kYes);
}

// It is on the disk with the next plan that is answered.
Status ClientState::note_missed(const protocol::Client& client, const protocol::Step& step) {
  if (!client.heads() || client.broken_off() || client.heads()->head() != step.head) return {};
  checkpoint_.named = versions_of(*step.plan);
  return plans_->add(step, Sync::kNo);
}

// The plans after it go into a new file, named in the checkpoint: whichever moment the process dies
// at, checkpoint and plans belong together.
Status ClientState::save(protocol::Client& client) {
  ClientCheckpoint now{.generation = plans_->generation() + 1,
                       .named = checkpoint_.named,
                       .finished = checkpoint_.finished,
                       .client = SecretText::take(client.save()),
                       .models = {}};
  for (const auto& message : client.held_models()) {
    now.models.push_back(SecretText::take(wire::encode(*message)));
  }
  FEDVS_TRY_STATUS(write_client(folder_ / "client.ckpt", now));
  std::error_code none;
  if (now.finished) std::filesystem::remove(folder_ / "seeds.ckpt", none);
  FEDVS_TRY_STATUS(plans_->begin_next());
  client.note_saved();
  return {};
}

}  // namespace fedvs::party
