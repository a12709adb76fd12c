// Which client holds which columns. A "source" is a column of the user's file; a categorical one
// becomes several features, which stay with one client.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs::data {

using ClientColumns = std::vector<std::vector<std::size_t>>;

// Consecutive columns; the first `columns` mod `clients` clients get one more.
// kBadJob unless 1 <= clients <= columns.
Result<ClientColumns> deal_evenly(std::size_t columns, int clients);
// "a,b;c,d": clients apart by semicolons, columns by commas. kBadJob for an unknown column (with
// the nearest one), a column named twice, or a client without any.
Result<ClientColumns> parse_client_columns(const std::string& text,
                                           const std::vector<std::string>& sources);
std::vector<std::string> split_list(const std::string& text, char separator);  // trimmed
// The error for a name that is not among `known`, with the nearest of them.
Error unknown_name(ErrorCode code, const std::string& what, const std::string& name,
                   const std::vector<std::string>& known);

}  // namespace fedvs::data
