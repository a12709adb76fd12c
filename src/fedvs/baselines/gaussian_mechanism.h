// The analytic Gaussian mechanism (Balle and Wang, 2018): the least noise that makes one release of
// a vector (epsilon, delta)-differentially private, for any epsilon > 0.
#pragma once
#include <cstddef>
#include <span>

#include "fedvs/base/public_random.h"

namespace fedvs::baselines {

// delta(sigma) = P(D/2s - e s/D) - exp(e) P(-D/2s - e s/D), P the normal distribution function, s
// the noise's spread and D the sensitivity.
double delta_of_noise(double sigma, double epsilon, double sensitivity);
// The least sigma with delta_of_noise <= delta, to nine digits. epsilon > 0, 0 < delta < 1.
double least_noise(double epsilon, double delta, double sensitivity);

// Cuts every row to L2 norm `clip` and adds noise: what one client releases of one batch. A row may
// become any other of that norm, so the sensitivity of a row is 2 clip.
// Simulation only: the noise is drawn from public randomness.
struct RowRelease {
  double clip, sigma;
  static RowRelease calibrated(double clip, double epsilon, double delta);
  void cut(std::span<float> embeddings, std::size_t width) const;
  void apply(std::span<float> embeddings, std::size_t width, PublicRandom& random) const;
  // Turns the gradient by what was released into that by the embeddings before the cut.
  void back(std::span<const float> embeddings, std::size_t width, std::span<float> gradient) const;
};

}  // namespace fedvs::baselines
