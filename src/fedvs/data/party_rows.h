// One party's own file: a client's columns or the server's labels, each row with an id. What comes
// of it is, number for number, what data::prepare makes of the same rows in one table.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/dataset.h"
#include "fedvs/data/prepared.h"
#include "fedvs/data/row_ids.h"
#include "fedvs/job/job.h"

namespace fedvs::data {

struct PartyCsv {
  std::string id_column = {};                 // "": the first column
  std::vector<std::string> categorical = {};  // one-hot: "column=value", values sorted
  std::vector<std::string> ignore = {};       // no features
  std::string missing = "error";              // error | mean
  bool by_subject = false;                    // reads the column `subject`
  bool of_all_parties = false;  // both lists may name columns that are in other parties' files
};
// The job's categorical, ignore, missing and split; the id is in the first column.
PartyCsv party_csv(const DataJob& job);

struct PartyRows {
  RowIds rows;
  Table features;                    // raw, in the order of the ids
  std::vector<std::string> columns;  // names of the features
};
// CSV, plain or gzip. kBadFile, kBadData or kBadJob, with file, line, column and remedy.
Result<PartyRows> read_party_csv(const std::string& path, const PartyCsv& options);

struct PartyLabels {
  RowIds rows;
  std::vector<int> labels;               // in [0, class_names.size()), in the order of the ids
  std::vector<std::string> class_names;  // sorted as read_csv does: the same text, the same class
};
struct LabelCsv {
  std::string id_column = {};     // "": the first column
  std::string label_column = {};  // "": the only other one
  bool by_subject = false;        // reads the column `subject`
};
Result<PartyLabels> read_label_csv(const std::string& path, const LabelCsv& options);

// The split of these rows, the same at every party whose row_ids_digest is the same.
Result<Split> split_party(const RowIds& rows, const DataJob& job);
// Split, gathered and standardised. The raw rows are freed; `fitted` stays with the client.
Result<Prepared> prepare_party(PartyRows&& party, const DataJob& job, Standardiser* fitted);

struct PreparedLabels {
  std::vector<int> labels[kParts];
  int classes = 0;
  std::vector<std::string> class_names;  // a built-in set's own where the file has numbers
};
Result<PreparedLabels> labels_of_parts(const PartyLabels& party, const DataJob& job);

// ---- rows that a finished training is to score; `part` and `subject` mean nothing here

// The features `columns` of training, found by name; missing cells become means[c] where the
// options say so.
Result<PartyRows> read_new_party_csv(const std::string& path, const PartyCsv& options,
                                     const std::vector<std::string>& columns,
                                     std::span<const double> means);
struct NewLabels {
  RowIds rows;
  std::optional<std::vector<int>> labels;  // where the file has a label's column
};
// `classes`: PartyLabels::class_names of training. kBadData for a label that is none of them.
Result<NewLabels> read_new_label_csv(const std::string& path, const LabelCsv& options,
                                     const std::vector<std::string>& classes);
// All of them as test rows, standardised as the training rows were.
Prepared prepare_new_rows(PartyRows&& party, const Standardiser& fitted);

}  // namespace fedvs::data
