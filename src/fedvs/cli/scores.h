// Scores of rows as text: CSV or one JSON object.
#pragma once
#include <string>
#include <vector>

namespace fedvs::cli {

struct Scores {
  std::vector<std::string> ids;      // of the rows; empty: they are numbered from 1
  std::vector<std::string> classes;  // names
  std::vector<float> probabilities;  // rows x classes
};
// "row" (or "id"), "predicted", "p_<class>" for every class.
std::string scores_csv(const Scores& scores);
std::string scores_json(const Scores& scores);
std::size_t predicted_class(const Scores& scores, std::size_t row);

}  // namespace fedvs::cli
