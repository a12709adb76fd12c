// What training starts from: every client's standardised columns of the train, validation and test
// rows, in the job's public row order, and the server's labels.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/dataset.h"
#include "fedvs/job/job.h"

namespace fedvs::data {

enum class Part { kTrain = 0, kValidation = 1, kTest = 2 };
inline constexpr int kParts = 3;

struct Split {
  std::vector<std::size_t> rows[kParts];  // row numbers of the data set, permuted by split_seed
};

// What the split depends on beside the job, all of it public: every party has the same.
struct SplitSource {
  std::string name;  // of the data set or file, for messages
  std::size_t rows = 0;
  std::vector<bool> test = {};         // whether each row is a published test row; empty: none is
  double test_share = 0.3;             // of the rows, where none is
  std::vector<std::int64_t> subjects;  // one per row; or empty
};
SplitSource split_source(const Dataset& set);

// The raw values of a client's columns, in the order of `rows`.
Table gather(const Table& features, const std::vector<std::size_t>& columns,
             const std::vector<std::size_t>& rows);

// Mean and spread of one client's own training rows; never leaves the client.
struct Standardiser {
  std::vector<double> mean, spread;  // spread 0: a constant column, which becomes 0
  double clip = 3.0;
  static Standardiser fit(const Table& gathered, double clip);
  void apply(Table& gathered) const;  // in place
  static Standardiser fit(const Dataset& set, const std::vector<std::size_t>& columns,
                          const std::vector<std::size_t>& rows, double clip);
  Table apply(const Dataset& set, const std::vector<std::size_t>& columns,
              const std::vector<std::size_t>& rows) const;
};

struct Prepared {
  Table features[kParts];  // of one client
};

struct PreparedJob {
  std::vector<Prepared> clients;  // N of them
  std::vector<Standardiser> standardisers;
  std::vector<int> labels[kParts];
  int classes = 0;
  std::vector<std::string> class_names;
  std::vector<std::string> columns;
  std::vector<std::vector<std::size_t>> client_columns;
};

Result<Split> split_rows(const SplitSource& source, const DataJob& job);
Result<Split> split_rows(const Dataset& set, const DataJob& job);
Status check_clip(const DataJob& job);
// What one client does with its own columns: cut into parts, fit to the training rows, standardise.
Prepared standardised_parts(const Table& features, const std::vector<std::size_t>& columns,
                            const Split& split, double clip, Standardiser& fitted);
Result<PreparedJob> prepare(const Dataset& set, const DataJob& job);

}  // namespace fedvs::data
