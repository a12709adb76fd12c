#include "fedvs/party/run_memory.h"

#include "fedvs/party/saved_file.h"
#include "fedvs/v1/client_state.pb.h"

namespace fedvs::party {

Result<RunMemory> RunMemory::open(std::filesystem::path file) {
  RunMemory memory(std::move(file));
  if (!std::filesystem::exists(memory.file_)) return memory;
  v1::SavedRuns from;
  FEDVS_TRY(const auto blobs, read_saved(memory.file_, from));
  for (const auto& saved : from.runs()) {
    constexpr std::string_view kNote = "runs.ckpt: a note of a run";
    Digest run, sharings;
    FEDVS_TRY_STATUS(protocol::copy_exactly(kNote, saved.run(), run));
    FEDVS_TRY_STATUS(protocol::copy_exactly(kNote, saved.sharings(), sharings));
    const Whose whose = saved.everybodys() ? Whose::kEverybodys : Whose::kOwn;
    memory.sharings_[{run, whose}] = sharings;
  }
  return memory;
}

Status RunMemory::keep(const Digest& run, Whose whose, const Digest& sharings) {
  const auto [known, is_new] = sharings_.try_emplace({run, whose}, sharings);
  if (known->second != sharings) {
    return Error{ErrorCode::kRefused,
                 "the server offers a run again that was trained before somebody's rows changed, "
                 "which would single that client out; begin another run: move the server's folder "
                 "state away, too"};
  }
  if (!is_new) return {};
  v1::SavedRuns to;
  for (const auto& [of, kept] : sharings_) {
    auto& saved = *to.add_runs();
    saved.set_run(of.first.data(), of.first.size());
    saved.set_everybodys(of.second == Whose::kEverybodys);
    saved.set_sharings(kept.data(), kept.size());
  }
  return write_saved(file_, to);
}

}  // namespace fedvs::party
