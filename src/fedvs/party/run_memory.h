// Which sharings of rows a run was trained over: `runs.ckpt` in a client's folder, not in state/,
// which operators move away to train anew. First weights are keyed by the run, whose id is the
// server's word: offered again after somebody has changed its rows, it would have the others begin
// with the same weights, and the sums of both trainings would tell that client alone.
#pragma once
#include <filesystem>
#include <map>
#include <utility>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"

namespace fedvs::party {

class RunMemory {
 public:
  // kOwn: kept before anything of the client's rows or weights leaves it, so that whoever changes
  // its rows need not rely on the others' memory. kEverybodys: before the run's first upload.
  enum class Whose { kOwn = 0, kEverybodys = 1 };

  static Result<RunMemory> open(std::filesystem::path file);  // kBadFile, kCorrupt
  // On the disk when it returns. kRefused where the run was trained over other sharings.
  Status keep(const Digest& run, Whose whose, const Digest& sharings);

 private:
  explicit RunMemory(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;
  std::map<std::pair<Digest, Whose>, Digest> sharings_;  // of runs
};

}  // namespace fedvs::party
