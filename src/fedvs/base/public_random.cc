#include "fedvs/base/public_random.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "fedvs/base/check.h"

namespace fedvs {
namespace {

constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

PublicRandom PublicRandom::keyed(std::initializer_list<std::uint64_t> words) {
  std::uint64_t state = mix(words.size() + kGamma);
  for (std::uint64_t word : words) state = mix((state ^ word) + kGamma);
  return PublicRandom(state);
}

std::uint64_t PublicRandom::next_u64() { return mix(state_ += kGamma); }

std::uint64_t PublicRandom::below(std::uint64_t bound) {
  FEDVS_CHECK(bound > 0, "nothing lies below 0");
  const std::uint64_t surplus = (0 - bound) % bound;  // 2^64 mod bound
  while (true) {
    const std::uint64_t draw = next_u64();
    if (draw >= surplus) return draw % bound;
  }
}

double PublicRandom::next_unit() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }

double PublicRandom::next_normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - next_unit()));
  return radius * std::cos(2.0 * std::numbers::pi * next_unit());
}

std::vector<std::size_t> permutation(std::size_t count, PublicRandom& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace fedvs
