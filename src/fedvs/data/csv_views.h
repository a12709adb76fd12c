// Opens the views of a CSV source and settles what each of their columns is used for.
#pragma once
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/csv.h"
#include "fedvs/data/csv_columns.h"
#include "fedvs/data/csv_dataset.h"

namespace fedvs::data {

// A column that yields features: number c or text c of its view.
struct FeatureColumn {
  std::string name;  // "file/column" where several views have the column
  std::size_t view = 0, column = 0;
  bool categorical = false;
};

class CsvViews {
 public:
  static Result<CsvViews> open(const std::vector<std::string>& paths);

  std::size_t count() const { return readers_.size(); }
  const std::string& path(std::size_t view) const { return readers_[view].path(); }
  const std::vector<std::string>& header(std::size_t view) const { return readers_[view].header(); }
  // All columns of all views but those of `hidden` names; categorical as listed.
  // kBadJob when a name of either list is in no view.
  Result<std::vector<FeatureColumn>> features(const std::vector<std::string>& hidden,
                                              const std::vector<std::string>& categorical) const;
  // kBadJob, with the nearest name, unless some view has the column; otherwise the first that has.
  Result<FeatureColumn> find(const std::string& key, const std::string& name) const;
  Status require(const std::string& key, const std::string& name) const;  // the same, only checked
  void use(const FeatureColumn& column, ColumnUse use) { uses_[column.view][column.column] = use; }
  void use(const std::vector<FeatureColumn>& features);  // as numbers or, if categorical, as text

  // Reads what is used. kBadData when the views have different numbers of rows.
  Status read(bool allow_missing);
  std::size_t rows() const { return columns_[0].rows; }
  float number(const FeatureColumn& column, std::size_t row) const {
    const Table& table = columns_[column.view].numbers;
    return table.row(row)[place(column)];
  }
  const TextColumn& text(const FeatureColumn& column) const {
    return columns_[column.view].texts[place(column)];
  }

 private:
  std::vector<std::string> all_names() const;
  std::size_t place(const FeatureColumn& column) const {
    return places_[column.view][column.column];
  }
  void count_places();
  Status check_rows() const;

  std::vector<CsvReader> readers_;
  std::vector<std::vector<ColumnUse>> uses_;
  std::vector<std::vector<std::size_t>> places_;  // among the numbers or the texts of the view
  std::vector<CsvColumns> columns_;
};

}  // namespace fedvs::data
