// Random numbers in the shape of a data set: what training costs does not depend on what they are.
#pragma once
#include <cstddef>

#include "fedvs/data/prepared.h"

namespace fedvs::measuring {

struct TableShape {
  std::size_t rows = 0, features = 0;  // training rows
  int classes = 2;
};

// Columns dealt evenly to `clients`, uniform with mean 0 and spread 1, random labels. As few test
// rows as a job may have: they are shared, never opened.
data::PreparedJob random_table(const TableShape& shape, int clients);

}  // namespace fedvs::measuring
