// What the parties of a finished training keep in their folders for scoring new rows. Scoring is a
// run of its own, with a state folder of its own, over the models of the training's last evaluation
// and no others: rows that were opened with them may be opened again, and tell nothing new.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/party_rows.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::party {

using RunId = std::array<std::uint8_t, 16>;
using Versions = std::vector<std::uint64_t>;  // per client: the step of its model
inline constexpr std::uint64_t kLeftOut = ~std::uint64_t{0};
Versions versions_of(const protocol::Plan& plan);

struct ClassNames {
  std::vector<std::string> labels;  // as in the file of labels
  std::vector<std::string> shown;   // a built-in set's own names
};

struct TrainedServer {
  RunId run_id{};
  std::uint64_t seed = 0;
  std::string central;
  ClassNames classes;
  Versions versions;
};
// `folder`: deploy/server. kBadFile if nothing was trained; kBadJob if it is not finished, or the
// model lacks a client.
Result<TrainedServer> load_trained_server(const std::filesystem::path& folder);

struct TrainedClient {
  RunId run_id{};
  std::string model;  // LocalModel::save
  std::vector<std::string> columns;
  data::Standardiser standardiser;
  std::optional<Versions> versions;  // none: it has not been told that the training ended
  protocol::Groups groups;           // of the training; empty: all were one
};
Result<TrainedClient> load_trained_client(const std::filesystem::path& folder, int parties);

// Models of a group have been opened at one step only; rows scored with a model apart from its
// group's would tell that client's change. kRefused. Clients that were released, where the job lets
// them be, may differ: as many as may be missing.
Status check_whole_groups(const protocol::Agreement& agreement, const protocol::Groups& groups,
                          const Versions& versions);

// Of a client that was not told of the end: the versions that the others agreed to score with, once
// and for ever. Rows scored with one model and then with another would tell their difference.
Status keep_versions(const std::filesystem::path& folder, const Versions& versions);

// The same at all parties that score the same rows with the same training's models.
Digest scoring_id(const RunId& training, const data::RowIds& rows);
std::string scoring_folder(const Digest& scoring_id);  // "state-predict-..."

}  // namespace fedvs::party
