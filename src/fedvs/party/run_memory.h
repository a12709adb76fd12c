// Which sharings of everybody's rows a run was trained over: `runs.ckpt` in a client's folder, not
// in state/, which operators move away to train anew. First weights are keyed by the run, whose id
// is the server's word: offered again after somebody has changed its rows, it would have the others
// begin with the same weights, and the sums of both trainings would tell that client alone.
#pragma once
#include <filesystem>
#include <map>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"

namespace fedvs::party {

class RunMemory {
 public:
  static Result<RunMemory> open(std::filesystem::path file);  // kBadFile, kCorrupt
  // Before the run's first upload: on the disk when it returns. kRefused where the run was trained
  // over other sharings.
  Status keep(const Digest& run, const Digest& sharings);

 private:
  explicit RunMemory(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;
  std::map<Digest, Digest> runs_;  // and their sharings
};

}  // namespace fedvs::party
