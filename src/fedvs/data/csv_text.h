// Cells of a CSV file, written so that CsvReader gives back what went in.
#pragma once
#include <string>
#include <string_view>

namespace fedvs::data {

void append_text(std::string& out, std::string_view text);  // quoted where it must be
// The fewest digits that give the same bits back, read as a double and rounded to a float.
// `value` is finite.
void append_number(std::string& out, float value);

}  // namespace fedvs::data
