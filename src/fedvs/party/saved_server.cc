// The files of a server's folder state/ that are written whole, or not at all.
#include <algorithm>

#include "fedvs/party/saved_file.h"
#include "fedvs/party/server_state.h"
#include "fedvs/v1/server_state.pb.h"

namespace fedvs::party {
namespace {

// Without it training cannot go on.
constexpr std::string_view kRemedy =
    " and of the files beside it; without one, move the folder state of the server and of every "
    "client away and train anew";

constexpr const char *kDoor = "door", *kServer = "server", *kTotals = "totals",
                     *kCentral = "central";

}  // namespace

Status ServerState::read() {
  FEDVS_TRY(run_, read_run());
  FEDVS_TRY(standing_, read_standing());
  FEDVS_TRY(central_, read_central());
  return {};
}

Result<std::optional<ServerState::Run>> ServerState::read_run() const {
  const auto file = folder_ / "run.ckpt";
  if (!std::filesystem::exists(file)) return std::optional<Run>();
  v1::SavedRun from;
  FEDVS_TRY(auto blobs, read_saved(file, from, kRemedy));
  Run run{.id = {},
          .seed = from.seed(),
          .door = std::move(blobs[kDoor]),
          .classes = {.labels = {from.labels().begin(), from.labels().end()},
                      .shown = {from.shown().begin(), from.shown().end()}},
          .settled = from.settled()};
  FEDVS_TRY_STATUS(protocol::copy_exactly(file.string(), from.id(), run.id));
  if (!run.classes.shown.empty() && run.classes.shown.size() != run.classes.labels.size()) {
    return protocol::corrupt(file.string(), "has other names than labels");
  }
  return std::optional(std::move(run));
}

Status ServerState::begin(const Run& run) {
  v1::SavedRun to;
  to.set_id(run.id.data(), run.id.size());
  to.set_seed(run.seed);
  for (const auto& label : run.classes.labels) to.add_labels(label);
  for (const auto& name : run.classes.shown) to.add_shown(name);
  to.set_settled(run.settled);
  FEDVS_TRY_STATUS(write_saved(folder_ / "run.ckpt", to, {{kDoor, run.door}}));
  run_ = run;
  return {};
}

Result<std::optional<ServerState::Standing>> ServerState::read_standing() const {
  const auto file = folder_ / "server.ckpt";
  if (!std::filesystem::exists(file)) return std::optional<Standing>();
  v1::ServerCheckpoint from;
  FEDVS_TRY(auto blobs, read_saved(file, from, kRemedy));
  return std::optional(Standing{.server = std::move(blobs[kServer]),
                                .totals = std::move(blobs[kTotals]),
                                .seconds = from.seconds(),
                                .restarts = from.restarts(),
                                .done = from.done(),
                                .versions = {from.versions().begin(), from.versions().end()}});
}

Status ServerState::save(const Standing& standing) {
  v1::ServerCheckpoint to;
  to.set_seconds(standing.seconds);
  to.set_restarts(standing.restarts);
  to.set_done(standing.done);
  to.mutable_versions()->Assign(standing.versions.begin(), standing.versions.end());
  return write_saved(folder_ / "server.ckpt", to,
                     {{kServer, standing.server}, {kTotals, standing.totals}});
}

Result<ServerState::Central> ServerState::read_central() const {
  const auto file = folder_ / "central.ckpt";
  if (!std::filesystem::exists(file)) return Central{};
  v1::CentralCheckpoint from;
  FEDVS_TRY(auto blobs, read_saved(file, from, kRemedy));
  return Central{.model = std::move(blobs[kCentral]),
                 .rounds = from.rounds(),
                 .rate_changes = from.rate_changes()};
}

Status ServerState::write(const Central& central) const {
  v1::CentralCheckpoint to;
  to.set_rounds(central.rounds);
  to.set_rate_changes(central.rate_changes);
  return write_saved(folder_ / "central.ckpt", to, {{kCentral, central.model}});
}

}  // namespace fedvs::party
