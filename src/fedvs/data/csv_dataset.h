// A data set from CSV files: one, or one per view with the same rows in the same order.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/dataset.h"
#include "fedvs/job/job.h"

namespace fedvs::data {

struct CsvSource {
  std::vector<std::string> paths;        // one file per view
  std::string label;                     // taken from the first file that has it
  std::string subject;                   // becomes Dataset::subjects; or empty
  std::vector<std::string> ignore;       // left out of every view
  std::vector<std::string> categorical;  // one-hot: "column=value", values sorted
  std::string columns;                   // as DataJob::columns; columns not named are left out
  int clients = 0;                       // 0: one per view
  bool mean_for_missing = false;         // the mean over the rows that have a value
};

// A column that several views have is called "file/column", file without folder and extension.
// kBadFile, kBadData or kBadJob, with file, line, column and remedy.
Result<Dataset> read_csv(const CsvSource& source);
Result<bool> means_for_missing(const std::string& missing);  // DataJob::missing, checked
Result<CsvSource> csv_source(const DataJob& job);            // checks path, label and missing

// New rows for a trained model: the features `columns` (Dataset::columns names; "column=value" is
// one-hot of a categorical column) of one or several files, whatever the order of their columns;
// others, a label included, are left out. Missing cells become means[c] if source.mean_for_missing.
Result<Table> read_csv_rows(const CsvSource& source, const std::vector<std::string>& columns,
                            std::span<const double> means);

}  // namespace fedvs::data
