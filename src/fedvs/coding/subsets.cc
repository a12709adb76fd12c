#include "fedvs/coding/subsets.h"

#include <algorithm>
#include <numeric>

namespace fedvs::coding {

std::uint64_t binomial(int n, int k) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (k < 0 || k > n) return 0;
  std::uint64_t value = 1;
  for (int i = 1; i <= std::min(k, n - k); ++i) {
    const auto factor = static_cast<std::uint64_t>(n - i + 1);
    if (value > kMost / factor) return kMost;
    value = value * factor / static_cast<std::uint64_t>(i);
  }
  return value;
}

bool includes(std::span<const int> set, std::span<const int> subset) {
  return std::ranges::includes(set, subset);
}

bool next_subset(Subset& subset, int n) {
  const auto k = static_cast<int>(subset.size());
  int i = k - 1;
  while (i >= 0 && subset[static_cast<std::size_t>(i)] == n - k + i) --i;
  if (i < 0) return false;
  const auto from = subset.begin() + i;
  std::iota(from, subset.end(), *from + 1);
  return true;
}

Subset first_subset(int k) {
  Subset first(static_cast<std::size_t>(k));
  std::iota(first.begin(), first.end(), 0);
  return first;
}

SubsetIndex::SubsetIndex(int n, int k) : n_(static_cast<std::size_t>(n)) {
  for (int i = 1; i <= k; ++i) {
    for (int e = 0; e < n; ++e) parts_.push_back(static_cast<std::uint32_t>(binomial(e, i)));
  }
}

}  // namespace fedvs::coding
