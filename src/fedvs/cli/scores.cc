#include "fedvs/cli/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

namespace fedvs::cli {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  quoted.push_back('"');
  return quoted;
}

std::span<const float> row_of(const Scores& scores, std::size_t row) {
  const std::size_t classes = scores.classes.size();
  return std::span(scores.probabilities).subspan(row * classes, classes);
}

std::size_t rows_of(const Scores& scores) {
  return scores.probabilities.size() / scores.classes.size();
}

}  // namespace

std::size_t predicted_class(const Scores& scores, std::size_t row) {
  const auto probabilities = row_of(scores, row);
  return static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

std::string scores_csv(const Scores& scores) {
  std::string csv = scores.ids.empty() ? "row,predicted" : "id,predicted";
  for (const auto& name : scores.classes) csv += fmt::format(",{}", csv_cell(fmt::format("p_{}", name)));
  csv += "\n";
  for (std::size_t row = 0; row < rows_of(scores); ++row) {
    csv += scores.ids.empty() ? std::to_string(row + 1) : csv_cell(scores.ids[row]);
    csv += fmt::format(",{}", csv_cell(scores.classes[predicted_class(scores, row)]));
    for (float score : row_of(scores, row)) csv += fmt::format(",{:.6f}", score);
    csv += "\n";
  }
  return csv;
}

std::string scores_json(const Scores& scores) {
  using nlohmann::json;
  json rows = json::array();
  for (std::size_t row = 0; row < rows_of(scores); ++row) {
    const auto probabilities = row_of(scores, row);
    json scored = {{"predicted", scores.classes[predicted_class(scores, row)]},
                   {"probabilities", std::vector(probabilities.begin(), probabilities.end())}};
    if (scores.ids.empty()) {
      scored["row"] = row + 1;
    } else {
      scored["id"] = scores.ids[row];
    }
    rows.push_back(std::move(scored));
  }
  return json{{"classes", scores.classes}, {"rows", rows}}.dump() + "\n";
}

}  // namespace fedvs::cli
