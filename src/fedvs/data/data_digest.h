// What a training was begun with, in a few bytes: so that going on with other data is noticed.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"
#include "fedvs/data/dataset.h"
#include "fedvs/job/job.h"

namespace fedvs::data {

struct DataDigest {
  std::uint64_t rows = 0;
  std::vector<Digest> features;  // of each client: its columns' names and their values
  Digest labels{};               // with the classes' names
  std::optional<Digest> ids;     // where a CSV file has a column that looks like one (row_match.h)

  std::string save() const;
  static Result<DataDigest> parse(const std::string& bytes);  // kCorrupt
};
// Reads the files of a CSV set once more, for their ids.
Result<DataDigest> digest_of(const Dataset& set, const DataJob& job);

// "the labels, the features of client 2 (columns c3, c4)"; empty if nothing is. `now`: of `set`.
std::string what_changed(const DataDigest& before, const DataDigest& now, const Dataset& set);

}  // namespace fedvs::data
