// The columns of a party's file that say which rows these are.
#pragma once
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/csv_views.h"
#include "fedvs/data/row_ids.h"

namespace fedvs::data {

class RowIdColumns {
 public:
  // Of view 0; marks them as used. id_column "": the first. kBadJob, with the nearest name, if
  // there is none; kBadData if the subject is asked for and not there.
  static Result<RowIdColumns> find(CsvViews& views, const std::string& id_column, bool by_subject,
                                   const std::vector<std::string>& ignore);
  const std::vector<std::string>& names() const { return names_; }  // no features; the id first

  struct Sorted {
    RowIds rows;
    std::vector<std::size_t> order;  // rows.ids[i] is in the file's row order[i]; empty: i
  };
  // After views.read(). kBadData, with lines, for an id that occurs twice or an unknown part.
  // Messages quote ids: they are for the party's own eyes.
  Result<Sorted> read(const CsvViews& views) const;

 private:
  std::vector<std::string> names_;
  FeatureColumn id_, part_, subject_;  // without a name: not there
};

}  // namespace fedvs::data
