// How a key's type and limits meet a value.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fedvs/base/suggest.h"
#include "fedvs/job/keys.h"

namespace fedvs {
namespace {

bool convert(const JobValue& value, std::string& out) {
  if (const auto* text = std::get_if<std::string>(&value)) return out = *text, true;
  return false;
}
bool convert(const JobValue& value, std::int64_t& out) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return out = *number, true;
  return false;
}
bool narrow(std::int64_t wide, int& out) {
  out = static_cast<int>(wide);
  return std::in_range<int>(wide);
}
bool convert(const JobValue& value, int& out) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && narrow(*number, out);
}
bool convert(const JobValue& value, double& out) {
  if (const auto* real = std::get_if<double>(&value)) return out = *real, true;
  std::int64_t whole = 0;
  if (!convert(value, whole)) return false;
  out = static_cast<double>(whole);
  return true;
}
bool convert(const JobValue& value, std::vector<std::string>& out) {
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) return out = *list, true;
  return false;
}
bool convert(const JobValue& value, std::vector<int>& out) {
  std::vector<std::int64_t> wide;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    wide = *list;
  } else if (const auto* single = std::get_if<std::int64_t>(&value)) {
    wide = {*single};
  }
  out.resize(wide.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (!narrow(wide[i], out[i])) return false;
  }
  return !wide.empty();
}

bool fits(const JobLimits& limits, const std::string& text) {
  return limits.choices.empty() || std::ranges::count(limits.choices, text) > 0;
}
bool fits(const JobLimits& limits, double number) {
  if (limits.zero_is_auto && number == 0) return true;
  return std::isfinite(number) && number >= limits.low && number <= limits.high &&
         !(limits.low_open && number == limits.low) && !(limits.high_open && number == limits.high);
}
bool fits(const JobLimits& limits, std::int64_t number) {
  return fits(limits, static_cast<double>(number));
}
bool fits(const JobLimits& limits, int number) { return fits(limits, std::int64_t{number}); }
bool fits(const JobLimits&, const std::vector<std::string>&) { return true; }
bool fits(const JobLimits& limits, const std::vector<int>& numbers) {
  return !numbers.empty() && std::ranges::all_of(numbers, [&](int n) { return fits(limits, n); });
}

std::string noun(const JobField<std::string>&) { return "a string"; }
std::string noun(const JobField<int>&) { return "an integer"; }
std::string noun(const JobField<std::int64_t>&) { return "an integer"; }
std::string noun(const JobField<double>&) { return "a number"; }
std::string noun(const JobField<std::vector<std::string>>&) { return "a list of strings"; }
std::string noun(const JobField<std::vector<int>>&) { return "a list of integers"; }
std::string noun(const JobChoice&) { return "a string"; }

std::string bounds(const JobLimits& limits) {
  if (std::isinf(limits.low)) return "";
  if (!std::isinf(limits.high)) {
    return fmt::format(" in {}{}, {}{}", limits.low_open ? '(' : '[', limits.low, limits.high,
                       limits.high_open ? ')' : ']');
  }
  return fmt::format(" {} {}", limits.low_open ? "above" : "of at least", limits.low);
}

std::string complaint(const JobKey& key, const JobValue& value) {
  std::string text = "must be " + allowed(key);
  const auto* number = std::get_if<std::int64_t>(&value);
  const bool is_int = std::holds_alternative<JobField<int>>(key.field);
  if (is_int && number != nullptr && *number > std::numeric_limits<int>::max()) {
    return fmt::format("{}, and at most {}", text, std::numeric_limits<int>::max());
  }
  const auto* word = std::get_if<std::string>(&value);
  if (word == nullptr || key.limits.choices.empty()) return text;
  const auto close = nearest(*word, key.limits.choices);
  return close.empty() ? text : fmt::format("{}; did you mean \"{}\"?", text, close);
}

JobValue widened(const std::vector<int>& list) {
  return std::vector<std::int64_t>(list.begin(), list.end());
}
JobValue widened(int number) { return std::int64_t{number}; }
template <class T>
JobValue widened(const T& value) {
  return value;
}

JobValue value_in(const JobChoice& field, const JobLimits& limits, const Job& job) {
  return limits.choices[field.read(job)];
}
template <class T>
JobValue value_in(const JobField<T>& field, const JobLimits& limits, const Job& job) {
  const T& value = field.read(job);
  if constexpr (std::is_arithmetic_v<T>) {
    if (limits.zero_is_auto && value == 0) return std::string("auto");
  }
  return widened(value);
}

// Somebody who writes 0 means none of it, which cannot be had; "auto" is asked for by name.
template <class T>
bool stands_for_auto(const JobLimits& limits, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) return limits.zero_is_auto && value == 0;
  return false;
}

bool set(const JobChoice& field, const JobLimits& limits, Job& job, const JobValue& value) {
  const auto* word = std::get_if<std::string>(&value);
  if (word == nullptr || !fits(limits, *word)) return false;
  const auto place = std::ranges::find(limits.choices, *word) - limits.choices.begin();
  field.edit(job, static_cast<std::size_t>(place));
  return true;
}
template <class T>
bool set(const JobField<T>& field, const JobLimits& limits, Job& job, const JobValue& value) {
  const bool is_auto = limits.zero_is_auto && value == JobValue(std::string("auto"));
  T converted{};
  if (!convert(is_auto ? JobValue(std::int64_t{0}) : value, converted) ||
      !fits(limits, converted) || (!is_auto && stands_for_auto(limits, converted))) {
    return false;
  }
  field.edit(job) = std::move(converted);
  return true;
}

}  // namespace

std::string allowed(const JobKey& key) {
  const JobLimits& limits = key.limits;
  if (!limits.choices.empty()) return fmt::format("one of {}", fmt::join(limits.choices, ", "));
  const std::string type = std::visit([](const auto& field) { return noun(field); }, key.field);
  return type + bounds(limits) + (limits.zero_is_auto ? " or \"auto\"" : "");
}

JobValue value_of(const JobKey& key, const Job& job) {
  return std::visit([&](const auto& field) { return value_in(field, key.limits, job); }, key.field);
}

std::optional<std::string> assign(const JobKey& key, Job& job, const JobValue& value) {
  const bool is_set =
      std::visit([&](const auto& field) { return set(field, key.limits, job, value); }, key.field);
  return is_set ? std::nullopt : std::optional(complaint(key, value));
}

const JobKey* find_job_key(std::string_view name) {
  const auto table = job_keys();
  const auto found = std::ranges::find(table, name, &JobKey::name);
  return found == table.end() ? nullptr : &*found;
}

std::string suggested_job_key(std::string_view wrong) {
  std::vector<std::string> names;
  for (const auto& key : job_keys()) {
    if (leaf_of(key) == wrong.substr(wrong.rfind('.') + 1)) return std::string(key.name);
    names.emplace_back(key.name);
  }
  return nearest(wrong, names);
}

std::string_view leaf_of(const JobKey& key) { return key.name.substr(key.name.find('.') + 1); }

std::string_view table_of(const JobKey& key) {
  const auto dot = key.name.find('.');
  return dot == std::string_view::npos ? std::string_view() : key.name.substr(0, dot);
}

}  // namespace fedvs
