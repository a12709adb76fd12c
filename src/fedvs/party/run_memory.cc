#include "fedvs/party/run_memory.h"

#include "fedvs/base/bytes.h"
#include "fedvs/store/checkpoint.h"

namespace fedvs::party {

Result<RunMemory> RunMemory::open(std::filesystem::path file) {
  RunMemory memory(std::move(file));
  if (!std::filesystem::exists(memory.file_)) return memory;
  FEDVS_TRY(auto parts, store::read_checkpoint(memory.file_));
  ByteReader in(parts["runs"]);
  while (in.left() > 0) {
    Digest run, sharings;
    FEDVS_TRY_STATUS(read_exactly(in, run));
    FEDVS_TRY(const bool everybodys, in.flag());
    FEDVS_TRY_STATUS(read_exactly(in, sharings));
    memory.sharings_[{run, everybodys ? Whose::kEverybodys : Whose::kOwn}] = sharings;
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
  ByteWriter out;
  for (const auto& [of, kept] : sharings_) {
    out.numbers(std::span<const std::uint8_t>(of.first));
    out.flag(of.second == Whose::kEverybodys);
    out.numbers(std::span<const std::uint8_t>(kept));
  }
  return store::write_checkpoint(file_, {{"runs", out.take()}});
}

}  // namespace fedvs::party
