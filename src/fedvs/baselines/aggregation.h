// How the server makes one embedding of the clients': the element-wise average (the paper's), all
// of them side by side, or the element-wise maximum.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "fedvs/job/choices.h"

namespace fedvs::baselines {

// Embeddings of one batch, one table per client (rows x width, row-major); empty: it is absent and
// neither counts nor learns. Side by side, absent clients are zeros.
using Embeddings = std::vector<std::vector<float>>;

struct Combined {
  std::size_t width = 0;      // of the central model's input
  std::vector<float> values;  // rows x width
};
std::size_t combined_width(Aggregation kind, std::size_t width, std::size_t clients);
Combined combine(Aggregation kind, const Embeddings& embeddings, std::size_t width);

// The gradient by one present client's embeddings, from that by the combined ones. Of equal maxima
// the first client's counts.
std::vector<float> gradient_of(Aggregation kind, const Embeddings& embeddings, std::size_t width,
                               std::size_t client, std::span<const float> by_combined);

}  // namespace fedvs::baselines
