#include "fedvs/job/toml_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace fedvs {
namespace {

template <class T>
std::optional<JobValue> list_of(const toml::array& array) {
  std::vector<T> values;
  for (const auto& element : array) {
    const auto* value = element.as<T>();
    if (value == nullptr) return std::nullopt;
    values.push_back(value->get());
  }
  return JobValue(std::move(values));
}

std::string literal(const std::string& text) {
  std::ostringstream out;
  const toml::value<std::string> value(text);
  out << toml::toml_formatter(value, toml::format_flags::none);  // double quotes, escapes
  return out.str();
}
std::string literal(std::int64_t number) { return std::to_string(number); }
std::string literal(double number) {  // the shortest that reads back the same
  const std::string text = fmt::format("{}", number);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}
template <class T>
std::string literal(const std::vector<T>& values) {
  std::vector<std::string> parts;
  for (const auto& value : values) parts.push_back(literal(value));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::optional<JobValue> parse_value(const std::string& text) {
  try {
    const toml::table table = toml::parse("value = " + text);
    if (table.size() != 1) return std::nullopt;  // a line break in `text` began another key
    return from_toml(*table.get("value"));
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

bool starts_with_any(const std::string& text, std::string_view characters) {
  return !text.empty() && characters.find(text.front()) != std::string_view::npos;
}

}  // namespace

std::optional<JobValue> from_toml(const toml::node& node) {
  if (const auto* text = node.as_string()) return JobValue(text->get());
  if (const auto* whole = node.as_integer()) return JobValue(whole->get());
  if (const auto* real = node.as_floating_point()) return JobValue(real->get());
  const auto* array = node.as_array();
  if (array == nullptr) return std::nullopt;
  const auto strings = list_of<std::string>(*array);
  return strings ? strings : list_of<std::int64_t>(*array);
}

JobValue from_text(const JobKey& key, const std::string& text) {
  if (std::holds_alternative<JobField<std::string>>(key.field) ||
      std::holds_alternative<JobChoice>(key.field)) {
    return starts_with_any(text, "\"'") ? parse_value(text).value_or(text) : JobValue(text);
  }
  if (std::holds_alternative<JobField<std::vector<std::string>>>(key.field)) {
    if (!starts_with_any(text, "[\"'")) return split_at_commas(text);
  }
  const bool bare_list = text.find(',') != std::string::npos && !starts_with_any(text, "[");
  return parse_value(bare_list ? "[" + text + "]" : text).value_or(text);
}

std::string to_toml_text(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& concrete) { out << concrete; });
  return out.str();
}

std::string to_toml_text(const JobValue& value) {
  return std::visit([](const auto& held) { return literal(held); }, value);
}

}  // namespace fedvs
