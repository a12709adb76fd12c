#include "fedvs/party/server_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/bytes.h"
#include "fedvs/base/files.h"
#include "fedvs/store/checkpoint.h"

namespace fedvs::party {
namespace {

using Parts = std::map<std::string, std::string>;

constexpr auto kSaveEvery = std::chrono::seconds(2);
constexpr std::uint64_t kMostLearned = 64u << 20;  // bytes

// Without it training cannot go on.
constexpr std::string_view kRemedy =
    " and of the files beside it; without one, move the folder state of the server and of every "
    "client away and train anew";

Result<std::optional<Parts>> read_if_there(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::optional<Parts>{};
  FEDVS_TRY(auto parts, store::read_checkpoint(path, kRemedy));
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
  FEDVS_TRY_STATUS(make_private_folder(state));
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
    ByteReader settled((*run)["settled"]);
    FEDVS_TRY(read.settled, settled.flag());
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
  central_.model = std::move((*central)["central"]);
  ByteReader progress((*central)["progress"]);
  FEDVS_TRY(central_.rounds, progress.number<std::uint64_t>());
  FEDVS_TRY(central_.rate_changes, progress.number<int>());
  return {};
}

Status ServerState::begin(const Run& run) {
  ByteWriter out;
  out.numbers(std::span<const std::uint8_t>(run.id));
  out.number(run.seed);
  ByteWriter settled;
  settled.flag(run.settled);
  FEDVS_TRY_STATUS(
      store::write_checkpoint(folder_ / "run.ckpt", {{"run", out.take()},
                                                     {"door", run.door},
                                                     {"classes", save_classes(run.classes)},
                                                     {"settled", settled.take()}}));
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

// A damaged end is set aside: the model has then missed some steps, as one learns to live with.
Status ServerState::recall_learned(const Recall& recall) {
  std::optional<std::uint64_t> never_sent;
  FEDVS_TRY(auto log, store::RecordLog::open(folder_ / "learned.log",
                                             [&](std::uint64_t offset, std::string_view news) {
                                               if (never_sent) return Status{};
                                               const auto was = recall(news);
                                               if (!was) return Status(was.error());
                                               if (!*was) never_sent = offset;
                                               return Status{};
                                             }));
  learned_.emplace(std::move(log));
  return never_sent ? learned_->cut_at(*never_sent) : Status{};
}

Status ServerState::note_learned(const std::vector<std::string>& news) {
  for (const auto& each : news) {
    FEDVS_TRY(const auto written, learned_->append(each, store::RecordLog::Sync::kYes));
    static_cast<void>(written);
  }
  return {};
}

// At most a twentieth of the time goes into it, and a restart need not learn for long.
bool ServerState::central_due() const {
  const auto since = std::chrono::steady_clock::now() - central_saved_;
  return since >= std::max<std::chrono::steady_clock::duration>(20 * central_took_, kSaveEvery) ||
         learned_->size() > kMostLearned;
}

Status ServerState::save_central(const Central& central, bool notes_done) {
  const auto began = std::chrono::steady_clock::now();
  ByteWriter progress;
  progress.number(central.rounds);
  progress.number(central.rate_changes);
  FEDVS_TRY_STATUS(store::write_checkpoint(
      folder_ / "central.ckpt", {{"central", central.model}, {"progress", progress.take()}}));
  central_saved_ = std::chrono::steady_clock::now();
  central_took_ = central_saved_ - began;
  return notes_done && learned_->size() > 0 ? learned_->clear() : Status{};
}

}  // namespace fedvs::party
