#include "fedvs/coding/set_repair.h"

#include <algorithm>
#include <set>

#include "fedvs/base/public_random.h"

namespace fedvs::coding {
namespace {

constexpr std::uint64_t kStream = 0x726570616972;  // of public randomness
constexpr int kRounds = 64, kAttempts = 64;

// How many of `unsafe` would lie in `set` with each client, but do not yet.
std::vector<std::size_t> helped_by_client(const Subset& set, std::span<const Subset> unsafe,
                                          int parties) {
  std::vector<std::size_t> helped(static_cast<std::size_t>(parties), 0);
  for (const Subset& subset : unsafe) {
    Subset lacking;
    std::ranges::set_difference(subset, set, std::back_inserter(lacking));
    if (lacking.size() == 1) ++helped[static_cast<std::size_t>(lacking[0])];
  }
  return helped;
}

// A set of `size` clients with unsafe[0] and, client by client, as many more as can be had.
Subset gather(std::span<const Subset> unsafe, std::size_t size, int parties, PublicRandom& random) {
  const auto order = permutation(static_cast<std::size_t>(parties), random);
  Subset set = unsafe[0];
  while (set.size() < size) {
    const auto helped = helped_by_client(set, unsafe, parties);
    std::size_t best = order.size();
    for (std::size_t client : order) {
      if (std::ranges::binary_search(set, static_cast<int>(client))) continue;
      if (best == order.size() || helped[client] > helped[best]) best = client;
    }
    set.insert(std::ranges::upper_bound(set, static_cast<int>(best)), static_cast<int>(best));
  }
  return set;
}

// Random others with `subset`: where gathering finds again what is there already.
Subset filled(const Subset& subset, std::size_t size, int parties, PublicRandom& random) {
  Subset set = subset;
  for (std::size_t client : permutation(static_cast<std::size_t>(parties), random)) {
    const auto place = std::ranges::lower_bound(set, static_cast<int>(client));
    const bool is_member = place != set.end() && *place == static_cast<int>(client);
    if (set.size() < size && !is_member) set.insert(place, static_cast<int>(client));
  }
  return set;
}

// New sets that have all of `unsafe` between them.
void add_sets(std::vector<Subset> unsafe, const Shape& shape, PublicRandom& random,
              std::set<Subset>& sets) {
  const std::size_t size = sets.begin()->size();
  while (!unsafe.empty()) {
    Subset set = gather(unsafe, size, shape.parties, random);
    for (int attempt = 0; attempt < kAttempts && sets.contains(set); ++attempt) {
      set = filled(unsafe[0], size, shape.parties, random);
    }
    std::erase_if(unsafe, [&](const Subset& subset) { return includes(set, subset); });
    sets.insert(std::move(set));
  }
}

}  // namespace

bool repair(const field::Ring& ring, const Shape& shape, MaskFamily& family) {
  auto random = PublicRandom::keyed({kStream, static_cast<std::uint64_t>(shape.parties)});
  std::set<Subset> sets(family.sets.begin(), family.sets.end());
  auto unsafe = unsafe_subsets(ring, shape, family, SIZE_MAX);
  for (int round = 0; round < kRounds && !unsafe.empty(); ++round) {
    add_sets(unsafe, shape, random, sets);
    family.sets.assign(sets.begin(), sets.end());
    unsafe = unsafe_among(ring, shape, family, unsafe);
  }
  return unsafe.empty();
}

}  // namespace fedvs::coding
