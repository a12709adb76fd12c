// What training starts from: every client's standardised columns of the train, validation and test
// rows, in the job's public row order, and the server's labels.
#pragma once
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

// The raw values of a client's columns, in the order of `rows`.
Table gather(const Dataset& set, const std::vector<std::size_t>& columns,
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

Result<Split> split_rows(const Dataset& set, const DataJob& job);
Result<PreparedJob> prepare(const Dataset& set, const DataJob& job);

}  // namespace fedvs::data
