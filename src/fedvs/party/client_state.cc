#include "fedvs/party/client_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "fedvs/base/bytes.h"
#include "fedvs/base/files.h"
#include "fedvs/base/log.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/net/wire/limits.h"
#include "fedvs/store/checkpoint.h"

namespace fedvs::party {
namespace {

using protocol::DataSharer;
using Sync = store::RecordLog::Sync;

// Without it this client cannot go on.
constexpr std::string_view kRemedy =
    ", also an older one; without one, move this client's folder state away: it begins again with "
    "the gradients that the server has kept, or takes part in the next run";

// Everything of a step but its gradient.
std::string plan_record(const protocol::Step& step) {
  protocol::Step noted = step;
  noted.gradient = nullptr;
  return wire::encode(noted);
}

// Of plans-G.log; none for other files.
std::optional<std::uint64_t> generation_of(std::string_view name) {
  constexpr std::string_view kBefore = "plans-", kAfter = ".log";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return std::nullopt;
  name.remove_prefix(kBefore.size());
  name.remove_suffix(kAfter.size());
  std::uint64_t generation = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), generation);
  if (failed != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return generation;
}

struct RowNote {
  int sender = 0;
  data::Part part{};
  std::uint64_t first = 0;
  Digest digest{};
  protocol::SharingId sharing;
};

Result<RowNote> read_row_note(std::string_view bytes) {
  ByteReader in(bytes);
  RowNote note;
  FEDVS_TRY(note.sender, in.number<int>());
  FEDVS_TRY(note.part, in.number<data::Part>());
  FEDVS_TRY(note.first, in.number<std::uint64_t>());
  FEDVS_TRY_STATUS(read_exactly(in, note.digest));
  FEDVS_TRY_STATUS(read_exactly(in, note.sharing.bytes));
  FEDVS_TRY_STATUS(in.finish());
  return note;
}

std::string models_record(const protocol::Client& client) {
  std::vector<SecretText> models;
  std::size_t size = 0;
  for (const auto& message : client.held_models()) {
    models.push_back(SecretText::take(wire::encode(*message)));
    size += sizeof(std::uint64_t) + models.back().view().size();
  }
  ByteWriter out;
  out.reserve(size);
  for (const auto& model : models) out.text(model.view());
  return out.take();
}

Status recall_model(const protocol::Agreement& agreement, protocol::Client& client,
                    std::string_view record) {
  FEDVS_TRY(const auto message, wire::decode(agreement, record));
  const auto* share = std::get_if<protocol::ModelShare>(message.get());
  if (share == nullptr) return Error{ErrorCode::kCorrupt, "a note that is no model"};
  client.recall_model(*share);
  return {};
}

std::size_t largest_model(const protocol::Agreement& agreement) {
  std::size_t most = 0;
  for (int n = 0; n < agreement.shape.parties; ++n) {
    const auto extent = wire::largest_model_share(agreement, n);
    most = std::max(most, extent.rows * extent.cols);
  }
  constexpr std::size_t kHead = 1024;
  return most * static_cast<std::size_t>(agreement.ring.bytes_per_element()) + kHead;
}

Status recall_models(const protocol::Agreement& agreement, protocol::Client& client,
                     std::string_view record) {
  ByteReader in(record);
  while (in.left() > 0) {
    FEDVS_TRY(auto bytes, in.text());
    const auto model = SecretText::take(std::move(bytes));
    FEDVS_TRY_STATUS(recall_model(agreement, client, model.view()));
  }
  return {};
}

// What the client does not accept of its own notes is not believed.
Status recall_plan(const protocol::Agreement& agreement, protocol::Client& client,
                   std::string_view record, Versions& named) {
  FEDVS_TRY(const auto message, wire::decode(agreement, record));
  const auto* step = std::get_if<protocol::Step>(message.get());
  if (step == nullptr || !step->plan) return Error{ErrorCode::kCorrupt, "a note that is no plan"};
  if (const auto recalled = client.recall_plan(*step); !recalled) {
    log::warning("a noted plan, revision {}, is dropped: {}", step->plan->revision,
                 recalled.error().message);
    return {};
  }
  named = versions_of(*step->plan);
  return {};
}

}  // namespace

Result<ClientState> ClientState::open(std::filesystem::path state, int parties) {
  FEDVS_TRY_STATUS(make_private_folder(state));
  ClientState opened(std::move(state));
  FEDVS_TRY_STATUS(opened.read_terms(parties));
  FEDVS_TRY_STATUS(opened.read_checkpoint());
  if (!opened.terms_ && opened.generation_ == 0) FEDVS_TRY_STATUS(opened.remove_attempt());
  FEDVS_TRY_STATUS(opened.look_for_lost_checkpoint());
  FEDVS_TRY_STATUS(opened.open_plans());
  FEDVS_TRY(auto rows, store::RecordLog::open(opened.folder_ / "rows.index",
                                              [&](std::uint64_t, std::string_view record) {
                                                opened.row_notes_.emplace_back(record);
                                                return Status{};
                                              }));
  opened.row_log_.emplace(std::move(rows));
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

Status ClientState::read_terms(int parties) {
  if (!std::filesystem::exists(folder_ / "terms")) return {};
  FEDVS_TRY(auto parts, store::read_checkpoint(folder_ / "terms", kRemedy));
  const wire::EnvelopeLimits limits{.parties = parties, .contents = 0};
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
  if (!std::filesystem::exists(folder_ / "client.ckpt")) return {};
  FEDVS_TRY(auto parts, store::read_checkpoint(folder_ / "client.ckpt", kRemedy));
  client_ = SecretText::take(std::move(parts["client"]));
  models_ = SecretText::take(std::move(parts["models"]));
  ByteReader in(parts["generation"]);
  FEDVS_TRY(generation_, in.number<std::uint64_t>());
  ByteReader plan(parts["named"]);
  FEDVS_TRY(named_, plan.numbers<std::uint64_t>());
  FEDVS_TRY(finished_, plan.flag());
  return {};
}

// A checkpoint is written before the first plan after it is noted: notes of a later one mean that
// it was deleted, or that a copy of an earlier one was put back.
Status ClientState::look_for_lost_checkpoint() {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
    const auto noted = generation_of(entry.path().filename().string());
    if (!noted || *noted <= generation_) continue;
    generation_ = *noted;
    lost_checkpoint_ = true;
  }
  if (failed) return file_error("read", folder_, failed.value());
  return {};
}

std::filesystem::path ClientState::plans_file() const {
  return folder_ / fmt::format("plans-{}.log", generation_);
}

// What was answered must be known: rows opened twice, with other models, would tell more.
Status ClientState::open_plans() {
  auto plans = store::RecordLog::open(
      plans_file(),
      [&](std::uint64_t, std::string_view record) {
        plans_.emplace_back(record);
        return Status{};
      },
      store::RecordLog::OnDamage::kStop);
  if (!plans) {
    return Error{plans.error().code,
                 fmt::format("{}; put back a copy of it{}", plans.error().message, kRemedy)};
  }
  plan_log_.emplace(std::move(*plans));
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
  ByteWriter out;
  out.number<std::uint64_t>(columns.names.size());
  for (const auto& name : columns.names) out.text(name);
  out.numbers(columns.standardiser.mean);
  out.numbers(columns.standardiser.spread);
  out.number(columns.standardiser.clip);
  return store::write_checkpoint(folder_ / "columns.ckpt", {{"columns", out.take()}});
}

Result<ClientState::Columns> ClientState::columns() const {
  FEDVS_TRY(auto parts, store::read_checkpoint(folder_ / "columns.ckpt", kRemedy));
  ByteReader in(parts["columns"]);
  Columns columns;
  FEDVS_TRY(const auto count, in.number<std::uint64_t>());
  for (std::uint64_t c = 0; c < count; ++c) {
    FEDVS_TRY(auto name, in.text());
    columns.names.push_back(std::move(name));
  }
  FEDVS_TRY(columns.standardiser.mean, in.numbers<double>());
  FEDVS_TRY(columns.standardiser.spread, in.numbers<double>());
  FEDVS_TRY(columns.standardiser.clip, in.number<double>());
  if (columns.standardiser.mean.size() != count || columns.standardiser.spread.size() != count) {
    return Error{ErrorCode::kCorrupt, "columns.ckpt has means of other columns"};
  }
  FEDVS_TRY_STATUS(in.finish());
  return columns;
}

Result<std::string> ClientState::model() const {
  ByteReader in(client_.view());
  return in.text();
}

Result<protocol::Groups> ClientState::groups() const {
  return protocol::saved_groups(client_.view());
}

Result<std::unique_ptr<protocol::CodedRows>> ClientState::rows(
    const protocol::Agreement& agreement) const {
  return protocol::lasting_rows(agreement, folder_);
}

Result<std::size_t> ClientState::recall(const protocol::Agreement& agreement,
                                        protocol::Client& client) {
  if (!client_.empty()) FEDVS_TRY_STATUS(client.restore(client_.view()));
  FEDVS_TRY_STATUS(recall_seeds(client));
  FEDVS_TRY_STATUS(recall_models(agreement, client, models_.view()));
  FEDVS_TRY_STATUS(recall_newest_models(agreement, client));
  if (std::exchange(lost_checkpoint_, false)) {
    log::warning(
        "{} is missing or older than the notes beside it; this client goes on from step "
        "{} with the gradients and plans that the server has kept",
        (folder_ / "client.ckpt").string(), client.model().step());
    plans_.clear();  // it has to be told of those before them, and then of all in order
  }
  for (const auto& plan : plans_) FEDVS_TRY_STATUS(recall_plan(agreement, client, plan, named_));
  std::size_t torn = 0;
  FEDVS_TRY_STATUS(recall_rows(agreement, client, torn));
  client_ = {};
  models_ = {};
  plans_.clear();
  row_notes_.clear();
  return torn;
}

Status ClientState::recall_newest_models(const protocol::Agreement& agreement,
                                         protocol::Client& client) {
  const auto senders = static_cast<std::size_t>(agreement.shape.parties);
  FEDVS_TRY(auto newest,
            store::NewestRecords::open(folder_ / "models", senders, largest_model(agreement)));
  newest_models_.emplace(std::move(newest));
  for (std::size_t n = 0; n < senders; ++n) {
    for (auto& record : newest_models_->read(n)) {
      const auto model = SecretText::take(std::move(record));
      const auto recalled = recall_model(agreement, client, model.view());
      if (!recalled) log::warning("state/models: {}", recalled.error().message);
    }
  }
  return {};
}

void ClientState::note_model(const protocol::ModelShare& share) {
  const auto record = SecretText::take(wire::encode(share));
  newest_models_->put(static_cast<std::size_t>(share.from), record.view());
}

Status ClientState::recall_rows(const protocol::Agreement& agreement, protocol::Client& client,
                                std::size_t& torn) {
  std::map<std::tuple<int, data::Part, std::uint64_t>, RowNote> newest;
  for (const auto& bytes : row_notes_) {
    FEDVS_TRY(const auto note, read_row_note(bytes));
    const bool fits = note.sender >= 0 && note.sender < agreement.shape.parties &&
                      static_cast<unsigned>(note.part) < data::kParts &&
                      note.first < agreement.coded_rows(note.part);
    if (!fits) return Error{ErrorCode::kCorrupt, "rows.index is of another job"};
    client.recall_sharing(note.sender, note.sharing);
    newest[{note.sender, note.part, note.first}] = note;
  }
  for (const auto& [chunk, note] : newest) {
    const std::size_t rows = chunk_rows(agreement, note.part, note.first);
    if (client.rows().chunk_digest(note.part, note.sender, note.first, rows) == note.digest) {
      client.recall_rows(note.sender, note.part, note.first, note.sharing);
    } else {
      ++torn;
    }
  }
  return {};
}

Status ClientState::note(const protocol::Client& client, const protocol::MessagePtr& message) {
  if (const auto* share = std::get_if<protocol::ModelShare>(message.get())) note_model(*share);
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
  return kept ? note_rows(client, *rows) : Status{};
}

// Without them the client could answer no plan; all seeds would be gone if all clients were killed.
Status ClientState::note_seeds(const protocol::Client& client) {
  if (seeds_noted_ == client.seeds().changes()) return {};
  std::map<std::string, std::string> parts{{"seeds", client.seeds().save()}};
  const auto written = store::write_checkpoint(folder_ / "seeds.ckpt", parts);
  wipe_text(parts["seeds"]);
  FEDVS_TRY_STATUS(written);
  seeds_noted_ = client.seeds().changes();
  return {};
}

Status ClientState::recall_seeds(protocol::Client& client) {
  if (!std::filesystem::exists(folder_ / "seeds.ckpt")) return {};
  auto parts = store::read_checkpoint(folder_ / "seeds.ckpt");
  if (!parts) {
    log::warning("{}; other clients are asked for the seeds of masks", parts.error().message);
    return {};
  }
  const auto seeds = SecretText::take(std::move((*parts)["seeds"]));
  return client.recall_seeds(seeds.view());
}

Status ClientState::note_plan(const protocol::Step& step) {
  named_ = versions_of(*step.plan);
  FEDVS_TRY(const auto written, plan_log_->append(plan_record(step), Sync::kYes));
  static_cast<void>(written);
  return {};
}

// It is on the disk with the next plan that is answered.
Status ClientState::note_missed(const protocol::Client& client, const protocol::Step& step) {
  if (!client.heads() || client.broken_off() || client.heads()->head() != step.head) return {};
  named_ = versions_of(*step.plan);
  FEDVS_TRY(const auto written, plan_log_->append(plan_record(step), Sync::kNo));
  static_cast<void>(written);
  return {};
}

Status ClientState::note_rows(const protocol::Client& client, const protocol::DataShare& share) {
  const std::size_t rows = chunk_rows(client.agreement(), share.part, share.first_row);
  const Digest digest = client.rows().chunk_digest(share.part, share.from, share.first_row, rows);
  ByteWriter out;
  out.number(share.from);
  out.number(share.part);
  out.number<std::uint64_t>(share.first_row);
  out.numbers(std::span<const std::uint8_t>(digest));
  out.numbers(std::span<const std::uint8_t>(share.sharing.bytes));
  FEDVS_TRY(const auto written, row_log_->append(out.bytes(), Sync::kNo));
  static_cast<void>(written);
  return {};
}

// The plans after it go into a new file, named in the checkpoint: whichever moment the process dies
// at, checkpoint and plans belong together.
Status ClientState::save(protocol::Client& client) {
  const auto old = plans_file();
  ByteWriter generation;
  generation.number(generation_ + 1);
  ByteWriter named;
  named.numbers(named_);
  named.flag(finished_);
  std::map<std::string, std::string> parts;
  parts["client"] = client.save();
  parts["models"] = models_record(client);
  parts["generation"] = generation.take();
  parts["named"] = named.take();
  const auto written = store::write_checkpoint(folder_ / "client.ckpt", parts);
  for (auto& [name, bytes] : parts) wipe_text(bytes);
  FEDVS_TRY_STATUS(written);
  ++generation_;
  std::error_code none;
  if (finished_) std::filesystem::remove(folder_ / "seeds.ckpt", none);
  plans_.clear();
  FEDVS_TRY_STATUS(open_plans());
  plans_.clear();
  client.note_saved();
  std::error_code ignored;
  std::filesystem::remove(old, ignored);
  return {};
}

}  // namespace fedvs::party
