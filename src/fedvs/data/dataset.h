// A data set as it was read: raw features, labels, and where the test rows are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fedvs::data {

// Row-major; rows * cols values.
struct Table {
  std::size_t rows = 0, cols = 0;
  std::vector<float> values;
  const float* row(std::size_t r) const { return values.data() + r * cols; }
  float* row(std::size_t r) { return values.data() + r * cols; }
};

struct Dataset {
  std::string name;
  Table features;                                        // all clients' columns
  std::vector<std::string> columns;                      // names, one per feature
  std::vector<std::vector<std::size_t>> client_columns;  // columns of each client, disjoint
  std::vector<int> labels;                               // in [0, classes)
  int classes = 0;
  std::vector<std::string> class_names;  // text labels in sorted order
  std::optional<std::size_t> test_from;  // rows from here on are the published test set
  double test_share = 0.3;               // where there is none
  std::vector<std::int64_t> subjects;    // one per row, for a split by subject; or empty
};

}  // namespace fedvs::data
