#include "fedvs/party/server_state.h"

#include <fmt/format.h>

#include "fedvs/base/bytes.h"
#include "fedvs/store/checkpoint.h"

namespace fedvs::party {
namespace {

using Parts = std::map<std::string, std::string>;

Result<std::optional<Parts>> read_if_there(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::optional<Parts>{};
  FEDVS_TRY(auto parts, store::read_checkpoint(path));
  return std::optional<Parts>(std::move(parts));
}

std::string save_classes(const ClassNames& classes) {
  ByteWriter out;
  out.number<std::uint64_t>(classes.labels.size());
  for (const auto& name : classes.labels) out.text(name);
  for (const auto& name : classes.shown) out.text(name);
  return out.take();
}

Result<ClassNames> read_classes(const std::string& bytes) {
  ClassNames classes;
  ByteReader in(bytes);
  FEDVS_TRY(const auto count, in.number<std::uint64_t>());
  for (auto* names : {&classes.labels, &classes.shown}) {
    for (std::uint64_t c = 0; c < count; ++c) {
      FEDVS_TRY(auto name, in.text());
      names->push_back(std::move(name));
    }
  }
  return classes;
}

}  // namespace

Result<ServerState> ServerState::open(std::filesystem::path state) {
  std::error_code failed;
  std::filesystem::create_directories(state, failed);
  if (failed) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("cannot make {}: {}", state.string(), failed.message())};
  }
  ServerState opened(std::move(state));
  FEDVS_TRY_STATUS(opened.read());
  return opened;
}

Status ServerState::read() {
  FEDVS_TRY(auto run, read_if_there(folder_ / "run.ckpt"));
  if (run) {
    Run read;
    ByteReader in((*run)["run"]);
    FEDVS_TRY_STATUS(read_exactly(in, read.id));
    FEDVS_TRY(read.seed, in.number<std::uint64_t>());
    read.door = std::move((*run)["door"]);
    FEDVS_TRY(read.classes, read_classes((*run)["classes"]));
    run_ = std::move(read);
  }
  FEDVS_TRY(auto standing, read_if_there(folder_ / "server.ckpt"));
  if (standing) {
    Standing read;
    ByteReader in((*standing)["clock"]);
    FEDVS_TRY(read.seconds, in.number<double>());
    FEDVS_TRY(read.restarts, in.number<std::uint64_t>());
    FEDVS_TRY(read.done, in.flag());
    FEDVS_TRY(read.versions, in.numbers<std::uint64_t>());
    read.server = std::move((*standing)["server"]);
    read.totals = std::move((*standing)["totals"]);
    standing_ = std::move(read);
  }
  FEDVS_TRY(auto central, read_if_there(folder_ / "central.ckpt"));
  if (!central) return {};
  central_ = std::move((*central)["central"]);
  ByteReader epochs((*central)["epochs"]);
  FEDVS_TRY(central_epochs_, epochs.number<int>());
  return {};
}

Status ServerState::begin(const Run& run) {
  ByteWriter out;
  out.numbers(std::span<const std::uint8_t>(run.id));
  out.number(run.seed);
  FEDVS_TRY_STATUS(store::write_checkpoint(
      folder_ / "run.ckpt",
      {{"run", out.take()}, {"door", run.door}, {"classes", save_classes(run.classes)}}));
  run_ = run;
  return {};
}

Status ServerState::save(const Standing& standing) {
  ByteWriter clock;
  clock.number(standing.seconds);
  clock.number(standing.restarts);
  clock.flag(standing.done);
  clock.numbers(standing.versions);
  return store::write_checkpoint(
      folder_ / "server.ckpt",
      {{"clock", clock.take()}, {"server", standing.server}, {"totals", standing.totals}});
}

// At most a twentieth of the time goes into it.
Status ServerState::save_central(const std::function<std::string()>& bytes, int epochs,
                                 bool force) {
  const auto now = std::chrono::steady_clock::now();
  if (!force && now - central_saved_ < 20 * central_took_) return {};
  ByteWriter finished;
  finished.number(epochs);
  FEDVS_TRY_STATUS(store::write_checkpoint(folder_ / "central.ckpt",
                                           {{"central", bytes()}, {"epochs", finished.take()}}));
  central_saved_ = std::chrono::steady_clock::now();
  central_took_ = central_saved_ - now;
  return {};
}

}  // namespace fedvs::party
