// Public randomness: known to all parties, the same on every platform. Never for masks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace fedvs {

// SplitMix64, fully specified here so that every party computes the same permutation.
class PublicRandom {
 public:
  explicit PublicRandom(std::uint64_t seed) : state_(seed) {}
  // A stream of its own for each list of words: counter-based, so no draw shifts another.
  static PublicRandom keyed(std::initializer_list<std::uint64_t> words);
  std::uint64_t next_u64();
  std::uint64_t below(std::uint64_t bound);  // uniform on [0, bound), by rejection
  double next_unit();                        // uniform on [0, 1)
  double next_normal();                      // standard normal (Box-Muller)

 private:
  std::uint64_t state_;
};

// Fisher-Yates of 0..count-1.
std::vector<std::size_t> permutation(std::size_t count, PublicRandom& random);

}  // namespace fedvs
