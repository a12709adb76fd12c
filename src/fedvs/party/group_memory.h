// Which groups were in force over which rows: `groups.ckpt` in a party's folder. Not in state/,
// which operators move away to train anew: groups belong to the deployment and the rows, not to a
// run. A table that has one row in common with an earlier one is bound by that one's groups.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::party {

// Rows are remembered as digests of their ids under `key`, 8 bytes each; sorted.
using RowMarks = std::vector<std::uint64_t>;
RowMarks row_marks(std::span<const std::uint8_t> key, const std::vector<std::string>& ids);

class GroupMemory {
 public:
  // kBadFile, kCorrupt.
  static Result<GroupMemory> open(std::filesystem::path file, RowMarks rows);

  // Of earlier runs of `parties` clients over any of these rows; empty: there was none. kRefused if
  // the rows come from runs that had different groups.
  Result<protocol::Groups> binding(int parties) const;
  Status keep(const protocol::Groups& groups);  // over these rows; on the disk when it returns

 private:
  struct Record {
    protocol::Groups groups;
    RowMarks rows;
  };
  GroupMemory(std::filesystem::path file, RowMarks rows)
      : file_(std::move(file)), rows_(std::move(rows)) {}
  Status read();
  Status write() const;
  std::filesystem::path file_;
  RowMarks rows_;  // of this run
  std::vector<Record> records_;
};

}  // namespace fedvs::party
