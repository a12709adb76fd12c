#include "fedvs/model/batch_loss.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "fedvs/base/check.h"

namespace fedvs::model {
namespace {

// e^x for x <= 0 within 2 units in the last place; below e^-87 it stays there. libm's would be a
// call per element, and its last bit depends on the machine.
float exp_of_negative(float x) {
  constexpr float kLeast = -87.0f, kRounder = 0x1.8p23f;
  constexpr float kLog2e = 0x1.715476p0f, kLn2High = 0x1.62e400p-1f, kLn2Low = 0x1.7f7d1cp-20f;
  const float bounded = x < kLeast ? kLeast : x;  // NaN stays NaN
  // Adding 1.5 * 2^23 rounds to an integer, which is then in the lowest bits.
  const float shifted = bounded * kLog2e + kRounder;
  const float whole = shifted - kRounder;
  const float r = (bounded - whole * kLn2High) - whole * kLn2Low;  // |r| <= ln 2 / 2
  float e = 1.0f / 5040;
  for (const float c : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f}) {
    e = e * r + c;
  }
  const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) + 127u) << 23;
  return e * std::bit_cast<float>(power);
}

float largest_of(std::span<const float> row) {
  float largest = row[0];
  for (const float value : row) largest = value > largest ? value : largest;
  return largest;
}

// The loss of one row, whose logits become `weight` times its gradient.
double softmax_row(std::span<float> row, std::size_t label, float weight) {
  const float largest = largest_of(row);
  const double of_label = row[label] - largest;
  for (float& value : row) value = exp_of_negative(value - largest);
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
  double loss = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    loss += softmax_row(logits.subspan(i * classes, classes), static_cast<std::size_t>(labels[i]),
                        weight);
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
