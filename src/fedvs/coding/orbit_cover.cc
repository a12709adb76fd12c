#include "fedvs/coding/orbit_cover.h"

#include <algorithm>

namespace fedvs::coding {
namespace {
constexpr int kExchanges = 2;  // rounds through the members of a set; a third hardly ever helps
constexpr int kAttempts = 64;
}  // namespace

Subset rotated(const Subset& set, int by, int parties) {
  Subset moved;
  for (int client : set) moved.push_back((client + by) % parties);
  std::ranges::sort(moved);
  return moved;
}

OrbitCover::OrbitCover(CoverShape shape, PublicRandom random)
    : shape_(shape),
      random_(random),
      index_(shape.parties - 1, shape.colluding - 1),
      counts_(binomial(shape.parties - 1, shape.colluding - 1), 0),
      next_missing_(first_subset(shape.colluding - 1)) {}

Subset OrbitCover::seen_from(const Subset& block, int origin) const {
  Subset seen;
  for (int client : block) {
    const int steps = (client - origin + shape_.parties) % shape_.parties;
    if (steps > 0) seen.push_back(steps - 1);
  }
  std::ranges::sort(seen);
  return seen;
}

template <class Visit>
void OrbitCover::for_each_count(const Subset& seen, std::size_t from, int depth,
                                std::uint32_t place, const Visit& visit) {
  if (depth == shape_.colluding - 1) {
    visit(counts_[place]);
    return;
  }
  for (std::size_t i = from; i < seen.size(); ++i) {
    for_each_count(seen, i + 1, depth + 1, place + index_.part(depth, seen[i]), visit);
  }
}

std::uint64_t OrbitCover::gain(const Subset& block, int client) {
  std::uint64_t sum = 0;
  for_each_count(seen_from(block, client), 0, 0, 0, [&](std::uint16_t count) {
    if (count < shape_.times) sum += static_cast<std::uint64_t>(shape_.times - count);
  });
  return sum;
}

void OrbitCover::add_best(Subset& block, const std::vector<std::size_t>& order) {
  int best = -1;
  std::uint64_t most = 0;
  for (std::size_t place : order) {
    const auto client = static_cast<int>(place);
    if (std::ranges::binary_search(block, client)) continue;
    const std::uint64_t helped = gain(block, client);
    if (best < 0 || helped > most) best = client, most = helped;
  }
  block.insert(std::ranges::upper_bound(block, best), best);
}

Subset OrbitCover::grown(const Subset& start) {
  const auto order = permutation(static_cast<std::size_t>(shape_.parties), random_);
  Subset block = start;
  while (static_cast<int>(block.size()) < shape_.size) add_best(block, order);
  for (int pass = 0; pass < kExchanges; ++pass) {
    const Subset before = block;
    for (int client : before) {
      block.erase(std::ranges::lower_bound(block, client));
      add_best(block, order);
    }
    if (block == before) break;
  }
  return block;
}

void OrbitCover::take(const Subset& block) {
  taken_.insert(first_rotation(block));
  for (int client : block) {
    for_each_count(seen_from(block, client), 0, 0, 0, [](std::uint16_t& count) {
      if (count < UINT16_MAX) ++count;
    });
  }
}

bool OrbitCover::find_missing() {
  do {
    std::uint32_t place = 0;
    for (std::size_t i = 0; i < next_missing_.size(); ++i) {
      place += index_.part(static_cast<int>(i), next_missing_[i]);
    }
    if (counts_[place] < shape_.times) return true;
  } while (next_subset(next_missing_, shape_.parties - 1));
  return false;
}

Subset OrbitCover::unlike_taken(const Subset& block) {
  Subset other = block;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (const Subset first = first_rotation(other); !first.empty() && !taken_.contains(first)) {
      return other;
    }
    other = block;
    other.erase(other.begin() + static_cast<std::ptrdiff_t>(random_.below(other.size())));
    while (other.size() < block.size()) {
      const auto client =
          static_cast<int>(random_.below(static_cast<std::uint64_t>(shape_.parties)));
      const auto place = std::ranges::lower_bound(other, client);
      if (place == other.end() || *place != client) other.insert(place, client);
    }
  }
  return block;
}

Subset OrbitCover::first_rotation(const Subset& block) const {
  Subset first = block;
  for (int by = 1; by < shape_.parties; ++by) {
    Subset turned = rotated(block, by, shape_.parties);
    if (turned == block) return {};
    first = std::min(first, std::move(turned));
  }
  return first;
}

std::vector<Subset> OrbitCover::blocks() {
  std::vector<Subset> blocks;
  while (find_missing()) {
    Subset start{0};
    for (int client : next_missing_) start.push_back(client + 1);
    blocks.push_back(unlike_taken(grown(start)));
    take(blocks.back());
  }
  return blocks;
}

std::uint64_t OrbitCover::cost(const CoverShape& shape) {
  const auto rounds = static_cast<std::uint64_t>(shape.times * (1 + kExchanges * shape.colluding));
  const std::uint64_t subsets = binomial(shape.parties, shape.colluding);
  return subsets > UINT64_MAX / rounds ? UINT64_MAX : subsets * rounds;
}

}  // namespace fedvs::coding
