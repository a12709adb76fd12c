#include "fedvs/party/server_state.h"

#include <algorithm>

#include "fedvs/base/files.h"

namespace fedvs::party {
namespace {

constexpr auto kSaveEvery = std::chrono::seconds(2);
constexpr std::uint64_t kMostLearned = 64u << 20;  // bytes

}  // namespace

Result<ServerState> ServerState::open(std::filesystem::path state) {
  FEDVS_TRY_STATUS(make_private_folder(state));
  ServerState opened(std::move(state));
  FEDVS_TRY_STATUS(opened.read());
  return opened;
}

// A damaged end is set aside: the model has then missed some steps, as one learns to live with.
Status ServerState::recall_learned(const Recall& recall) {
  std::optional<std::uint64_t> never_sent;
  Status readable;  // by this release
  const auto visit = [&](std::uint64_t offset, std::string_view news) -> Status {
    if (never_sent || !readable) return {};
    const auto was = recall(news);
    if (!was && was.error().code == ErrorCode::kBadFile) return readable = was.error(), Status{};
    if (!was) return was.error();
    if (!*was) never_sent = offset;
    return {};
  };
  FEDVS_TRY(auto log, store::RecordLog::open(folder_ / "learned.log", visit));
  FEDVS_TRY_STATUS(readable);
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
  FEDVS_TRY_STATUS(write(central));
  central_saved_ = std::chrono::steady_clock::now();
  central_took_ = central_saved_ - began;
  return notes_done && learned_->size() > 0 ? learned_->clear() : Status{};
}

}  // namespace fedvs::party
