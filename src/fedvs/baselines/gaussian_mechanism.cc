#include "fedvs/baselines/gaussian_mechanism.h"

#include <cmath>

#include "fedvs/base/check.h"

namespace fedvs::baselines {
namespace {

// log P(x): erfc alone underflows below -38.
double log_normal_tail(double x) {
  const double tail = 0.5 * std::erfc(-x / std::sqrt(2.0));
  if (tail > 1e-300) return std::log(tail);
  return -x * x / 2 - std::log(-x * std::sqrt(2 * M_PI));  // Mills' ratio
}

double length(std::span<const float> row) {
  double square = 0;
  for (float x : row) square += static_cast<double>(x) * x;
  return std::sqrt(square);
}

}  // namespace

double delta_of_noise(double sigma, double epsilon, double sensitivity) {
  const double half = sensitivity / (2 * sigma), shift = epsilon * sigma / sensitivity;
  return std::exp(log_normal_tail(half - shift)) -
         std::exp(epsilon + log_normal_tail(-half - shift));
}

double least_noise(double epsilon, double delta, double sensitivity) {
  FEDVS_CHECK(epsilon > 0 && delta > 0 && delta < 1 && sensitivity > 0, "privacy of no meaning");
  double low = 0, high = sensitivity;  // delta falls as the noise grows
  while (delta_of_noise(high, epsilon, sensitivity) > delta) high *= 2;
  while (high - low > 1e-10 * high) {
    const double middle = (low + high) / 2;
    (delta_of_noise(middle, epsilon, sensitivity) > delta ? low : high) = middle;
  }
  return high;
}

RowRelease RowRelease::calibrated(double clip, double epsilon, double delta) {
  return {clip, least_noise(epsilon, delta, 2 * clip)};
}

void RowRelease::cut(std::span<float> embeddings, std::size_t width) const {
  for (std::size_t from = 0; from < embeddings.size(); from += width) {
    const auto row = embeddings.subspan(from, width);
    const double norm = length(row), scale = norm > clip ? clip / norm : 1;
    for (float& x : row) x = static_cast<float>(scale * x);
  }
}

void RowRelease::apply(std::span<float> embeddings, std::size_t width, PublicRandom& random) const {
  cut(embeddings, width);
  for (float& x : embeddings) x += static_cast<float>(sigma * random.next_normal());
}

// Of a row e longer than C, C e / |e| was released: its derivative takes g to
// C / |e| (g - (g e) e / |e|^2).
void RowRelease::back(std::span<const float> embeddings, std::size_t width,
                      std::span<float> gradient) const {
  for (std::size_t from = 0; from < embeddings.size(); from += width) {
    const auto row = embeddings.subspan(from, width);
    const auto g = gradient.subspan(from, width);
    const double norm = length(row);
    if (norm <= clip) continue;
    double along = 0;
    for (std::size_t j = 0; j < width; ++j) along += static_cast<double>(g[j]) * row[j];
    for (std::size_t j = 0; j < width; ++j) {
      g[j] = static_cast<float>(clip / norm * (g[j] - along / (norm * norm) * row[j]));
    }
  }
}

}  // namespace fedvs::baselines
