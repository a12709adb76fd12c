// Batches of samples in a new public shuffle every epoch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fedvs::baselines {

class Batches {
 public:
  // walker: 0 is the server's order, which all clients follow; n + 1 client n's own.
  Batches(std::size_t samples, std::size_t batch_size, std::uint64_t seed, std::uint64_t walker);
  std::size_t per_epoch() const { return batches_.size(); }
  const std::vector<std::size_t>& take();  // until the next call

 private:
  void shuffle();
  std::size_t samples_, batch_size_;
  std::uint64_t seed_, walker_, epoch_ = 0;
  std::vector<std::vector<std::size_t>> batches_;
  std::size_t next_ = 0;
};

}  // namespace fedvs::baselines
