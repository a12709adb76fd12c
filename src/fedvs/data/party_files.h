// A data set cut into the files that its parties would have: for trials of a networked job.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/dataset.h"
#include "fedvs/job/job.h"

namespace fedvs::data {

struct PartyFiles {
  std::vector<std::filesystem::path> clients;  // client-1.csv, client-2.csv, ...
  std::filesystem::path labels;                // labels.csv
};
// Where write_party_files puts them.
PartyFiles party_files(const std::filesystem::path& folder, std::size_t clients);

// Every client's columns and the labels, each row with its number as id, padded with zeros so that
// sorting keeps the order; `part` where the set has published test rows, `subject` where the job
// splits by it. Read back and prepared for the same job, they give the bits of data::prepare.
// The folder is made, and must be new or empty (kRefused). kBadData for a set that files cannot
// hold: a feature named like one of these columns, a class without a row.
Status write_party_files(const Dataset& set, const DataJob& job,
                         const std::filesystem::path& folder);

}  // namespace fedvs::data
