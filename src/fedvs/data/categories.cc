#include "fedvs/data/categories.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace fedvs::data {
namespace {

std::optional<long long> whole_number(const std::string& text) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: up to here a double is one whole number
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  const bool whole =
      code == std::errc() && stop == end && std::abs(value) <= kExact && value == std::floor(value);
  if (!whole) return std::nullopt;
  return static_cast<long long>(value);
}

// Numbers the distinct keys in their order; rank[i] is that of values[i].
template <class Key>
std::vector<int> ranks(const std::vector<Key>& keys) {
  std::map<Key, int> order;
  for (const Key& key : keys) order.emplace(key, 0);
  int next = 0;
  for (auto& [key, rank] : order) rank = next++;
  std::vector<int> rank_of;
  for (const Key& key : keys) rank_of.push_back(order[key]);
  return rank_of;
}

}  // namespace

Categories sort_categories(const TextColumn& column) {
  std::vector<long long> numbers;
  for (const std::string& value : column.values)
    if (const auto number = whole_number(value)) numbers.push_back(*number);
  const bool numeric = numbers.size() == column.values.size();
  const std::vector<int> rank = numeric ? ranks(numbers) : ranks(column.values);

  Categories sorted;
  for (std::size_t i = 0; i < rank.size(); ++i) {
    const auto place = static_cast<std::size_t>(rank[i]);
    if (sorted.names.size() <= place) sorted.names.resize(place + 1);
    sorted.names[place] = numeric ? std::to_string(numbers[i]) : column.values[i];
  }
  sorted.of_row.reserve(column.codes.size());
  for (int code : column.codes)
    sorted.of_row.push_back(code == TextColumn::kMissing ? code
                                                         : rank[static_cast<std::size_t>(code)]);
  return sorted;
}

Status check_classes(const Categories& labels, const std::string& where) {
  const std::size_t classes = labels.names.size(), rows = labels.of_row.size();
  if (classes < 2)
    return Error{ErrorCode::kBadData,
                 fmt::format("{} is \"{}\" in all {} rows; a label needs at least 2 classes", where,
                             labels.names[0], rows)};
  if (classes > std::max<std::size_t>(2, rows / 2))
    return Error{ErrorCode::kBadData,
                 fmt::format("{} has {} different values in {} rows; name a column of classes, not "
                             "of measurements",
                             where, classes, rows)};
  if (classes > kMostClasses)
    return Error{ErrorCode::kBadData,
                 fmt::format("{} has {} different values in {} rows, and at most {} classes are "
                             "allowed; name a column of classes, not of ids or measurements",
                             where, classes, rows, kMostClasses)};
  return {};
}

}  // namespace fedvs::data
