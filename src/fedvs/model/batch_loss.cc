#include "fedvs/model/batch_loss.h"

#include <cmath>

#include "fedvs/base/check.h"
#include "fedvs/model/float_kernels.h"

namespace fedvs::model {
namespace {

float largest_of(std::span<const float> row) {
  float largest = row[0];
  for (const float value : row) largest = value > largest ? value : largest;
  return largest;
}

// The loss of one row, whose logits become `weight` times its gradient.
double softmax_row(std::span<float> row, std::size_t label, float weight,
                   const FloatKernels& kernels) {
  const float largest = largest_of(row);
  const double of_label = row[label] - largest;
  kernels.exp_below(largest, row.data(), row.size());
  float sum = 0;
  for (const float value : row) sum += value;
  const float factor = weight / sum;
  for (float& value : row) value *= factor;
  row[label] -= weight;
  return std::log(static_cast<double>(sum)) - of_label;
}

}  // namespace

double softmax_loss(std::span<float> logits, std::span<const int> labels) {
  FEDVS_CHECK(!labels.empty() && logits.size() % labels.size() == 0, "not a row per label");
  const std::size_t rows = labels.size(), classes = logits.size() / rows;
  const float weight = 1.0f / static_cast<float>(rows);
  const FloatKernels& kernels = float_kernels(field::active_kernel());
  double loss = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    loss += softmax_row(logits.subspan(i * classes, classes), static_cast<std::size_t>(labels[i]),
                        weight, kernels);
  }
  return loss / static_cast<double>(rows);
}

double logistic_loss(std::span<float> logits, std::span<const int> labels) {
  FEDVS_CHECK(logits.size() == labels.size() && !labels.empty(), "not a logit per label");
  const double rows = static_cast<double>(labels.size());
  double loss = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double sign = labels[i] ? 1 : -1, margin = sign * static_cast<double>(logits[i]);
    const double e = std::exp(-std::abs(margin));  // never overflows
    loss += std::log1p(e) - (margin < 0 ? margin : 0);
    const double miss = (margin < 0 ? 1 : e) / (1 + e);  // sigmoid(-margin)
    logits[i] = static_cast<float>(-sign * miss / rows);
  }
  return loss / rows;
}

}  // namespace fedvs::model
