#include "fedvs/party/client_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/bytes.h"
#include "fedvs/base/log.h"
#include "fedvs/base/wipe.h"
#include "fedvs/store/checkpoint.h"
#include "fedvs/wire/codec.h"
#include "fedvs/wire/limits.h"

namespace fedvs::party {
namespace {

using protocol::DataSharer;
using Sync = store::RecordLog::Sync;

// Everything of a step but its gradient.
std::string plan_record(const protocol::Step& step) {
  protocol::Step noted = step;
  noted.gradient = nullptr;
  return wire::encode(noted);
}

std::string models_record(const protocol::Client& client) {
  ByteWriter out;
  for (const auto& message : client.held_models()) out.text(wire::encode(*message));
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
    FEDVS_TRY(const auto bytes, in.text());
    FEDVS_TRY_STATUS(recall_model(agreement, client, bytes));
  }
  return {};
}

Status recall_plan(const protocol::Agreement& agreement, protocol::Client& client,
                   std::string_view record) {
  FEDVS_TRY(const auto message, wire::decode(agreement, record));
  const auto* step = std::get_if<protocol::Step>(message.get());
  if (step == nullptr || !step->plan) return Error{ErrorCode::kCorrupt, "a note that is no plan"};
  client.recall_plan(*step);
  return {};
}

}  // namespace

Result<ClientState> ClientState::open(std::filesystem::path state, int parties) {
  std::error_code failed;
  std::filesystem::create_directories(state, failed);
  if (failed) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("cannot make {}: {}", state.string(), failed.message())};
  }
  std::filesystem::permissions(state, std::filesystem::perms::owner_all, failed);
  ClientState opened(std::move(state));
  FEDVS_TRY_STATUS(opened.read_checkpoint(parties));
  FEDVS_TRY_STATUS(opened.open_plans());
  FEDVS_TRY(auto rows, store::RecordLog::open(opened.folder_ / "rows.index",
                                              [&](std::uint64_t, std::string_view record) {
                                                opened.row_notes_.emplace_back(record);
                                                return Status{};
                                              }));
  opened.row_log_.emplace(std::move(rows));
  return opened;
}

Status ClientState::read_checkpoint(int parties) {
  if (std::filesystem::exists(folder_ / "terms")) {
    FEDVS_TRY(auto parts, store::read_checkpoint(folder_ / "terms"));
    const wire::EnvelopeLimits limits{.parties = parties, .contents = 0};
    FEDVS_TRY(auto envelope, wire::decode_envelope(limits, parts["terms"]));
    terms_ = std::get<wire::Terms>(std::move(envelope));
  }
  if (!std::filesystem::exists(folder_ / "client.ckpt")) return {};
  FEDVS_TRY(auto parts, store::read_checkpoint(folder_ / "client.ckpt"));
  client_ = std::move(parts["client"]);
  models_ = std::move(parts["models"]);
  ByteReader in(parts["generation"]);
  FEDVS_TRY(generation_, in.number<std::uint64_t>());
  ByteReader plan(parts["named"]);
  FEDVS_TRY(named_, plan.numbers<std::uint64_t>());
  FEDVS_TRY(finished_, plan.flag());
  return {};
}

std::filesystem::path ClientState::plans_file() const {
  return folder_ / fmt::format("plans-{}.log", generation_);
}

Status ClientState::open_plans() {
  FEDVS_TRY(auto plans,
            store::RecordLog::open(plans_file(), [&](std::uint64_t, std::string_view record) {
              plans_.emplace_back(record);
              return Status{};
            }));
  plan_log_.emplace(std::move(plans));
  return {};
}

Status ClientState::agree(const wire::Terms& terms) {
  if (terms_ && *terms_ == terms) return {};
  if (terms_) {
    return Error{
        ErrorCode::kRefused,
        fmt::format("the server now offers another run than the one that {} began: other "
                    "rows, columns or run id; restore the server's folder, or move {} away "
                    "to start anew",
                    folder_.string(), folder_.string())};
  }
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
  FEDVS_TRY(auto parts, store::read_checkpoint(folder_ / "columns.ckpt"));
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
  ByteReader in(client_);
  return in.text();
}

Result<std::unique_ptr<protocol::CodedRows>> ClientState::rows(
    const protocol::Agreement& agreement) const {
  return protocol::lasting_rows(agreement, folder_);
}

Result<std::size_t> ClientState::recall(const protocol::Agreement& agreement,
                                        protocol::Client& client) {
  if (!client_.empty()) FEDVS_TRY_STATUS(client.restore(client_));
  FEDVS_TRY_STATUS(recall_models(agreement, client, models_));
  FEDVS_TRY_STATUS(recall_newest_models(agreement, client));
  for (const auto& plan : plans_) FEDVS_TRY_STATUS(recall_plan(agreement, client, plan));
  std::size_t torn = 0;
  FEDVS_TRY_STATUS(recall_rows(agreement, client, torn));
  wipe(std::span(client_.data(), client_.size()));
  client_ = models_ = {};
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
    for (const auto& record : newest_models_->read(n)) {
      const auto recalled = recall_model(agreement, client, record);
      if (!recalled) log::warning("state/models: {}", recalled.error().message);
    }
  }
  return {};
}

void ClientState::note_model(const protocol::ModelShare& share) {
  newest_models_->put(static_cast<std::size_t>(share.from), wire::encode(share));
}

Status ClientState::recall_rows(const protocol::Agreement& agreement, protocol::Client& client,
                                std::size_t& torn) {
  for (const auto& note : row_notes_) {
    ByteReader in(note);
    FEDVS_TRY(const auto sender, in.number<int>());
    FEDVS_TRY(const auto part, in.number<data::Part>());
    FEDVS_TRY(const auto first, in.number<std::uint64_t>());
    Digest digest;
    FEDVS_TRY_STATUS(read_exactly(in, digest));
    const bool fits = sender >= 0 && sender < agreement.shape.parties &&
                      static_cast<unsigned>(part) < data::kParts &&
                      first < agreement.coded_rows(part);
    if (!fits) return Error{ErrorCode::kCorrupt, "rows.index is of another job"};
    const std::size_t rows = DataSharer::chunk_rows(agreement, part, first);
    if (client.rows().chunk_digest(part, sender, first, rows) == digest) {
      client.recall_rows(sender, part, first);
    } else {
      ++torn;
    }
  }
  return {};
}

Status ClientState::note_plan(const protocol::Step& step) {
  named_ = versions_of(*step.plan);
  FEDVS_TRY(const auto written, plan_log_->append(plan_record(step), Sync::kYes));
  static_cast<void>(written);
  return {};
}

Status ClientState::note_rows(const protocol::Client& client, const protocol::DataShare& share) {
  const std::size_t rows = DataSharer::chunk_rows(client.agreement(), share.part, share.first_row);
  const Digest digest = client.rows().chunk_digest(share.part, share.from, share.first_row, rows);
  ByteWriter out;
  out.number(share.from);
  out.number(share.part);
  out.number<std::uint64_t>(share.first_row);
  out.numbers(std::span<const std::uint8_t>(digest));
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
  FEDVS_TRY_STATUS(
      store::write_checkpoint(folder_ / "client.ckpt", {{"client", client.save()},
                                                        {"models", models_record(client)},
                                                        {"generation", generation.take()},
                                                        {"named", named.take()}}));
  ++generation_;
  plans_.clear();
  FEDVS_TRY_STATUS(open_plans());
  plans_.clear();
  client.note_saved();
  std::error_code ignored;
  std::filesystem::remove(old, ignored);
  return {};
}

}  // namespace fedvs::party
