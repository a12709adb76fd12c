// The files of a client's folder state/ that are written whole, or not at all.
//   client.ckpt       the model, versions as they were rounded, notes of what was uploaded, others'
//                     models; now and then
//   seeds.ckpt        the seeds of the run's masks, as they come
//   columns.ckpt      once: the names of its columns, and how it standardises them
//   scored-with.ckpt  where training was not over when it was told of versions to score with
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/secret_text.h"
#include "fedvs/data/prepared.h"
#include "fedvs/party/trained.h"

namespace fedvs::party {

// Without the file a client cannot go on.
inline constexpr std::string_view kClientRemedy =
    ", also an older one; without one, move this client's folder state away: it begins again with "
    "the gradients that the server has kept, or takes part in the next run";

struct ClientCheckpoint {
  std::uint64_t generation = 0;  // which plans were noted since; 0: there is no checkpoint
  // The versions that the last plan named that the client has accepted, or has been told of as
  // missed; and whether it was the run's last.
  Versions named;
  bool finished = false;
  SecretText client;               // protocol::Client::save
  std::vector<SecretText> models;  // others', as messages
};
Result<ClientCheckpoint> read_client(const std::filesystem::path& file);  // kBadFile, kCorrupt
Status write_client(const std::filesystem::path& file, const ClientCheckpoint& checkpoint);

// protocol::SeedBook::save
Result<SecretText> read_seeds(const std::filesystem::path& file);
Status write_seeds(const std::filesystem::path& file, const SecretText& seeds);

struct Columns {
  std::vector<std::string> names;
  data::Standardiser standardiser;
};
Result<Columns> read_columns(const std::filesystem::path& file);
Status write_columns(const std::filesystem::path& file, const Columns& columns);

Result<Versions> read_scoring(const std::filesystem::path& file);
Status write_scoring(const std::filesystem::path& file, const Versions& versions);

}  // namespace fedvs::party
