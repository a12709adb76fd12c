#include "fedvs/baselines/aggregation.h"

#include <algorithm>

#include "fedvs/base/check.h"

namespace fedvs::baselines {
namespace {

std::size_t present(const Embeddings& embeddings) {
  return static_cast<std::size_t>(
      std::ranges::count_if(embeddings, [](const auto& e) { return !e.empty(); }));
}

std::size_t values_of_one(const Embeddings& embeddings) {
  const auto some = std::ranges::find_if(embeddings, [](const auto& e) { return !e.empty(); });
  FEDVS_CHECK(some != embeddings.end(), "no client's embedding to combine");
  return some->size();
}

std::vector<float> average(const Embeddings& embeddings) {
  std::vector<float> sum(values_of_one(embeddings), 0.0f);
  for (const auto& one : embeddings) {
    for (std::size_t i = 0; i < one.size(); ++i) sum[i] += one[i];
  }
  const float share = 1.0f / static_cast<float>(present(embeddings));
  for (float& x : sum) x *= share;
  return sum;
}

std::vector<float> side_by_side(const Embeddings& embeddings, std::size_t width) {
  const std::size_t rows = values_of_one(embeddings) / width, all = width * embeddings.size();
  std::vector<float> values(rows * all, 0.0f);
  for (std::size_t n = 0; n < embeddings.size(); ++n) {
    for (std::size_t r = 0; r < rows && !embeddings[n].empty(); ++r) {
      std::copy_n(embeddings[n].data() + r * width, width, values.data() + r * all + n * width);
    }
  }
  return values;
}

std::vector<float> maximum(const Embeddings& embeddings) {
  std::vector<float> largest;
  for (const auto& one : embeddings) {
    if (one.empty()) continue;
    if (largest.empty()) largest = one;
    for (std::size_t i = 0; i < one.size(); ++i) largest[i] = std::max(largest[i], one[i]);
  }
  return largest;
}

// The first client whose value at i is the largest.
std::size_t winner(const Embeddings& embeddings, std::size_t i) {
  std::size_t best = embeddings.size();
  for (std::size_t n = 0; n < embeddings.size(); ++n) {
    if (embeddings[n].empty()) continue;
    if (best == embeddings.size() || embeddings[n][i] > embeddings[best][i]) best = n;
  }
  return best;
}

}  // namespace

std::size_t combined_width(Aggregation kind, std::size_t width, std::size_t clients) {
  return kind == Aggregation::kConcat ? width * clients : width;
}

Combined combine(Aggregation kind, const Embeddings& embeddings, std::size_t width) {
  const std::size_t combined = combined_width(kind, width, embeddings.size());
  switch (kind) {
    case Aggregation::kAverage:
      return {combined, average(embeddings)};
    case Aggregation::kConcat:
      return {combined, side_by_side(embeddings, width)};
    default:
      return {combined, maximum(embeddings)};
  }
}

std::vector<float> gradient_of(Aggregation kind, const Embeddings& embeddings, std::size_t width,
                               std::size_t client, std::span<const float> by_combined) {
  std::vector<float> gradient(embeddings[client].size());
  FEDVS_CHECK(!gradient.empty(), "an absent client learns nothing");
  if (kind == Aggregation::kConcat) {
    const std::size_t all = width * embeddings.size();
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      gradient[i] = by_combined[i / width * all + client * width + i % width];
    }
  } else if (kind == Aggregation::kAverage) {
    const float share = 1.0f / static_cast<float>(present(embeddings));
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = share * by_combined[i];
  } else {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      gradient[i] = winner(embeddings, i) == client ? by_combined[i] : 0.0f;
    }
  }
  return gradient;
}

}  // namespace fedvs::baselines
