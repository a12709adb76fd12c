#include "fedvs/party/own_rows.h"

#include <fmt/format.h>

namespace fedvs::party {
namespace {

Digest digest_of(const seal::SecretKey& key, const data::PartyRows& table) {
  Hasher hasher;
  hasher.add("fedvs data id 1").add(key.bytes());
  for (const auto& name : table.columns) hasher.add_u64(name.size()).add(name);
  const auto& values = table.features.values;
  return hasher
      .add(std::span<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(values.data()),
                                         values.size() * sizeof(float)))
      .finish();
}

Error refused(std::string why) { return {ErrorCode::kRefused, std::move(why)}; }

}  // namespace

OwnRows::OwnRows(data::PartyRows table, const seal::SecretKey& data_key,
                 const std::optional<TrainedClient>& trained)
    : table_(std::move(table)),
      count_(table_.rows.ids.size()),
      columns_(table_.features.cols),
      data_id_(digest_of(data_key, table_)),
      ids_(trained ? scoring_id(trained->run_id, table_.rows)
                   : data::row_ids_digest(nullptr, table_.rows)),
      scored_(trained.has_value()) {}

Status OwnRows::check(const wire::RowsOffer& offer) const {
  if (offer.scores != scored_) {
    return refused(offer.scores ? "the server is there to score rows; use --predict"
                                : "the server is there to train; leave out --predict");
  }
  if (offer.total_rows == count_ && offer.row_ids == ids_) return {};
  return refused(
      fmt::format("the server's file is of {} rows, this one of {}: {}. Start again with "
                  "the right file, or have the server started with its right one; nothing "
                  "needs to be cleaned up",
                  offer.total_rows, count_,
                  offer.total_rows != count_ ? "all parties must hold the same rows"
                  : offer.scores             ? "the ids differ, or the trainings do"
                                             : "the ids (or the columns part and subject) differ"));
}

}  // namespace fedvs::party
