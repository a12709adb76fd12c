#include "fedvs/data/csv_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

#include "fedvs/base/check.h"

namespace fedvs::data {
namespace {

constexpr float kExactIntegers = 16777216;  // 2^24

bool reads_back(std::string_view text, float value) {
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return static_cast<float>(read) == value;
}

}  // namespace

void append_text(std::string& out, std::string_view text) {
  const bool blank_ends = text.empty() || text.front() == ' ' || text.front() == '\t' ||
                          text.back() == ' ' || text.back() == '\t';
  if (!blank_ends && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_number(std::string& out, float value) {
  FEDVS_CHECK(std::isfinite(value), "features are finite");
  if (std::abs(value) <= kExactIntegers && value == std::trunc(value) &&
      !(value == 0 && std::signbit(value))) {
    fmt::format_to(std::back_inserter(out), "{}", static_cast<int>(value));
    return;
  }
  const std::size_t from = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  // The fewest digits of a float can lie so near the middle of two floats that reading them as a
  // double rounds to the middle first, and then to the wrong one: 7.038531e-26 does.
  if (reads_back(std::string_view(out).substr(from), value)) return;
  out.resize(from);
  fmt::format_to(std::back_inserter(out), "{}", static_cast<double>(value));
}

}  // namespace fedvs::data
