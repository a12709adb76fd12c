// What a classifier is worth, beside the majority baseline.
#pragma once
#include <optional>
#include <span>

namespace fedvs::model {

struct Metrics {
  double loss = 0;  // mean negative log likelihood
  double accuracy = 0;
  double balanced_accuracy = 0;  // mean recall over the classes that occur
  double f1 = 0;                 // binary: of class 1; otherwise the macro mean
  std::optional<double> auc;     // binary only
  double majority = 0;           // accuracy of always answering the commonest class
};
// probabilities: rows x classes.
Metrics evaluate(std::span<const float> probabilities, std::span<const int> labels, int classes);

}  // namespace fedvs::model
