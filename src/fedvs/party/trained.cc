#include "fedvs/party/trained.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fedvs/party/client_state.h"
#include "fedvs/party/saved_client.h"
#include "fedvs/party/server_state.h"

namespace fedvs::party {
namespace {

std::filesystem::path versions_file(const std::filesystem::path& folder) {
  return folder / "state" / "scored-with.ckpt";
}

// Members that differ from most of their group.
std::ptrdiff_t apart_in(const std::vector<int>& group, const Versions& versions) {
  std::map<std::uint64_t, std::ptrdiff_t> members;  // by step
  for (const int n : group) ++members[versions[static_cast<std::size_t>(n)]];
  const auto most = std::ranges::max_element(members, {}, [](const auto& m) { return m.second; });
  return std::ssize(group) - most->second;
}

}  // namespace

Status check_whole_groups(const protocol::Agreement& agreement, const protocol::Groups& groups,
                          const Versions& versions) {
  const int parties = agreement.shape.parties;
  protocol::Groups whole = groups;
  if (whole.empty()) {
    auto& all = whole.emplace_back();
    for (int n = 0; n < parties; ++n) all.push_back(n);
  }
  std::ptrdiff_t apart = 0;
  for (const auto& group : whole) apart += apart_in(group, versions);
  const bool releases = agreement.on_dead == OnDead::kRelease;
  const bool all_are_in = std::ranges::find(versions, kLeftOut) == versions.end();
  if (all_are_in && apart <= (releases ? parties - agreement.uploads_needed() : 0)) return {};
  return Error{ErrorCode::kRefused,
               "the server wants to score with models that split a group of the training, or leave "
               "a client out, which would single clients out; restore the server's folder of this "
               "training"};
}

Versions versions_of(const protocol::Plan& plan) {
  Versions versions;
  for (const auto& version : plan.versions) versions.push_back(version ? version->step : kLeftOut);
  return versions;
}

Result<TrainedServer> load_trained_server(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "state" / "run.ckpt")) {
    return Error{
        ErrorCode::kBadFile,
        fmt::format("{} has trained nothing yet; train first, with --labels", folder.string())};
  }
  FEDVS_TRY(const auto state, ServerState::open(folder / "state"));
  const auto& standing = state.standing();
  if (!standing || !standing->done) {
    return Error{ErrorCode::kBadJob, fmt::format("the training of {} is not finished; go on with "
                                                 "it first, with --labels",
                                                 folder.string())};
  }
  const auto out = std::ranges::find(standing->versions, kLeftOut);
  if (out != standing->versions.end()) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("client {} was left out of the training's last evaluation "
                             "(protocol.late_models); rows are scored with everybody's models only",
                             out - standing->versions.begin() + 1)};
  }
  return TrainedServer{.run_id = state.run()->id,
                       .seed = state.run()->seed,
                       .central = state.central().model,
                       .classes = state.run()->classes,
                       .versions = standing->versions};
}

Result<TrainedClient> load_trained_client(const std::filesystem::path& folder, int parties) {
  if (!std::filesystem::exists(folder / "state" / "client.ckpt")) {
    return Error{
        ErrorCode::kBadFile,
        fmt::format("{} has trained nothing yet; train first, without --predict", folder.string())};
  }
  FEDVS_TRY(const auto state, ClientState::open(folder / "state", parties));
  if (!state.terms()) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} has a model but not the terms of its training; put back a copy of "
                             "its folder state",
                             folder.string())};
  }
  FEDVS_TRY(auto columns, state.columns());
  FEDVS_TRY(auto parts, state.parts());
  TrainedClient trained{.run_id = state.terms()->run_id,
                        .model = std::move(parts.model),
                        .columns = std::move(columns.names),
                        .standardiser = std::move(columns.standardiser),
                        .versions = {},
                        .groups = std::move(parts.groups)};
  if (state.finished() && !state.named().empty()) {
    trained.versions = state.named();
    return trained;
  }
  const auto kept = versions_file(folder);
  if (!std::filesystem::exists(kept)) return trained;
  FEDVS_TRY(trained.versions, read_scoring(kept));
  return trained;
}

Status keep_versions(const std::filesystem::path& folder, const Versions& versions) {
  return write_scoring(versions_file(folder), versions);
}

Digest scoring_id(const RunId& training, const data::RowIds& rows) {
  return Hasher()
      .add("fedvs scoring 1")
      .add(training)
      .add(data::row_ids_digest(nullptr, rows))
      .finish();
}

std::string scoring_folder(const Digest& scoring_id) {
  return "state-predict-" + to_hex(std::span(scoring_id).first(8));
}

}  // namespace fedvs::party
