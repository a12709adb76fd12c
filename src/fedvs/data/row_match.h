// Whether the files of several views hold the same rows in the same order, as far as they say so
// themselves: rows of a simulation are lined up by position, so files in different orders would
// train on noise.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"

namespace fedvs::data {

// "id", "row_id", "patient-id", "customerId", "uuid", ...
bool looks_like_an_id(const std::string& column);

// Compares, line by line, the columns that several files have and that tell rows apart: the label,
// those that look like an id by their name, and a first column that all files have, if it is a key
// by its values (all different in each file, and half of them or more in both). kBadData for the
// first difference, with both files, lines and values. Otherwise the digest of the first column
// that looks like an id, in any of the files; none if there is no such column.
Result<std::optional<Digest>> match_rows(const std::vector<std::string>& paths,
                                         const std::string& label);

}  // namespace fedvs::data
