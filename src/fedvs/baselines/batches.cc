#include "fedvs/baselines/batches.h"

#include <algorithm>

#include "fedvs/base/public_random.h"

namespace fedvs::baselines {

Batches::Batches(std::size_t samples, std::size_t batch_size, std::uint64_t seed,
                 std::uint64_t walker)
    : samples_(samples), batch_size_(batch_size), seed_(seed), walker_(walker) {
  shuffle();
}

// A last batch of one sample joins the one before it: batch normalisation cannot work on it.
void Batches::shuffle() {
  auto random = PublicRandom::keyed({seed_, 0x5b17u, walker_, epoch_});
  const auto order = permutation(samples_, random);
  batches_.clear();
  for (std::size_t from = 0; from < samples_; from += batch_size_) {
    const auto to = std::min(from + batch_size_, samples_);
    if (to - from > 1 || batches_.empty()) batches_.emplace_back();
    auto& batch = batches_.back();
    batch.insert(batch.end(), order.begin() + static_cast<std::ptrdiff_t>(from),
                 order.begin() + static_cast<std::ptrdiff_t>(to));
  }
}

const std::vector<std::size_t>& Batches::take() {
  if (next_ == batches_.size()) {
    ++epoch_;
    next_ = 0;
    shuffle();
  }
  return batches_[next_++];
}

}  // namespace fedvs::baselines
