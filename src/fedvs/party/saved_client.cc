#include "fedvs/party/saved_client.h"

#include <fmt/format.h>

#include "fedvs/party/saved_file.h"
#include "fedvs/v1/client_state.pb.h"

namespace fedvs::party {
namespace {

constexpr const char *kClient = "client", *kModel = "model-", *kSeeds = "seeds";

}  // namespace

Result<ClientCheckpoint> read_client(const std::filesystem::path& file) {
  v1::ClientCheckpoint from;
  FEDVS_TRY(auto blobs, read_saved(file, from, kClientRemedy));
  ClientCheckpoint checkpoint{.generation = from.generation(),
                              .named = {from.versions().begin(), from.versions().end()},
                              .finished = from.finished(),
                              .client = {},
                              .models = {}};
  for (auto& [name, bytes] : blobs) {
    auto secret = SecretText::take(std::move(bytes));
    if (name == kClient) checkpoint.client = std::move(secret);
    if (name.starts_with(kModel)) checkpoint.models.push_back(std::move(secret));
  }
  return checkpoint;
}

Status write_client(const std::filesystem::path& file, const ClientCheckpoint& checkpoint) {
  v1::ClientCheckpoint to;
  to.set_generation(checkpoint.generation);
  to.mutable_versions()->Assign(checkpoint.named.begin(), checkpoint.named.end());
  to.set_finished(checkpoint.finished);
  Blobs blobs;
  blobs.emplace(kClient, checkpoint.client.view());
  for (std::size_t i = 0; i < checkpoint.models.size(); ++i) {  // read in the order of their names
    blobs.emplace(fmt::format("{}{:06}", kModel, i), checkpoint.models[i].view());
  }
  return write_saved(file, to, std::move(blobs));
}

// What is in it has a version of its own.
Result<SecretText> read_seeds(const std::filesystem::path& file) {
  FEDVS_TRY(auto blobs, store::read_checkpoint(file, kClientRemedy));
  return SecretText::take(std::move(blobs[kSeeds]));
}

Status write_seeds(const std::filesystem::path& file, const SecretText& seeds) {
  Blobs blobs;
  blobs.emplace(kSeeds, seeds.view());
  const auto written = store::write_checkpoint(file, blobs);
  wipe_text(blobs[kSeeds]);
  return written;
}

Result<Columns> read_columns(const std::filesystem::path& file) {
  v1::SavedColumns from;
  FEDVS_TRY(const auto blobs, read_saved(file, from, kClientRemedy));
  Columns columns;
  for (const auto& column : from.columns()) {
    columns.names.push_back(column.name());
    columns.standardiser.mean.push_back(column.mean());
    columns.standardiser.spread.push_back(column.spread());
  }
  columns.standardiser.clip = from.clip();
  return columns;
}

Status write_columns(const std::filesystem::path& file, const Columns& columns) {
  const auto& standardiser = columns.standardiser;
  FEDVS_CHECK(standardiser.mean.size() == columns.names.size() &&
                  standardiser.spread.size() == columns.names.size(),
              "every column is standardised");
  v1::SavedColumns to;
  for (std::size_t c = 0; c < columns.names.size(); ++c) {
    auto& column = *to.add_columns();
    column.set_name(columns.names[c]);
    column.set_mean(standardiser.mean[c]);
    column.set_spread(standardiser.spread[c]);
  }
  to.set_clip(standardiser.clip);
  return write_saved(file, to);
}

Result<Versions> read_scoring(const std::filesystem::path& file) {
  v1::SavedScoring from;
  FEDVS_TRY(const auto blobs, read_saved(file, from));
  return Versions(from.versions().begin(), from.versions().end());
}

Status write_scoring(const std::filesystem::path& file, const Versions& versions) {
  v1::SavedScoring to;
  to.mutable_versions()->Assign(versions.begin(), versions.end());
  return write_saved(file, to);
}

}  // namespace fedvs::party
