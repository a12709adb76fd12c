#include "fedvs/coding/mask_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "fedvs/coding/orbit_cover.h"
#include "fedvs/coding/set_repair.h"

namespace fedvs::coding {
namespace {

// A step of the search takes 10 ns and one of the check .7 ns: with all at their limits, some 25 s.
constexpr std::uint64_t kMostSubsets = 1 << 24, kMostSpanSteps = 10'000'000'000,
                        kMostCoverSteps = 1'000'000'000, kMostElements = 100'000;
constexpr std::uint64_t kTrySteps = 100'000'000, kMostTries = 8;  // where a search is that short
constexpr std::uint64_t kStream = 0x6d61736b73;                   // of public randomness

int largest_size(const Shape& shape) { return shape.blocks + 2 * shape.colluding - 2; }

CoverShape cover_of(const Shape& shape) {
  return {shape.parties, shape.colluding, largest_size(shape), shape.blocks + shape.colluding - 1};
}

// At least so many elements per entry, by counting. At most kMostSubsets T-subsets: no overflow.
std::uint64_t least_elements(const Shape& shape) {
  const CoverShape cover = cover_of(shape);
  const auto number = [](int value) { return static_cast<std::uint64_t>(value); };
  return binomial(cover.parties, cover.colluding) * number(cover.times) *
         number(cover.parties - cover.size) /
         (binomial(cover.size, cover.colluding) * number(cover.parties));
}

// Why masks by seeds are out of reach; nothing if they are not. Cheap.
std::optional<std::string> too_dear(const field::Ring& ring, const Shape& shape) {
  const std::uint64_t subsets = binomial(shape.parties, shape.colluding);
  if (subsets > kMostSubsets) {
    return fmt::format("{} sets of T clients to check, at most {}", subsets, kMostSubsets);
  }
  if (least_elements(shape) > kMostElements) {
    return fmt::format("{} random elements per entry, at most {}", least_elements(shape),
                       kMostElements);
  }
  const std::uint64_t check = span_cost(ring, shape), search = OrbitCover::cost(cover_of(shape));
  if (check > kMostSpanSteps || (shape.colluding > 1 && search > kMostCoverSteps)) {
    return fmt::format("a search of {} and a check of {} steps, at most {} and {}", search, check,
                       kMostCoverSteps, kMostSpanSteps);
  }
  return std::nullopt;
}

Error refusal(const field::Ring& ring, const Shape& shape, const std::string& why) {
  Shape smaller = shape;
  while (--smaller.colluding >= 1 && too_dear(ring, smaller)) {
  }
  const std::string remedy = smaller.colluding >= 1
                                 ? fmt::format("lower T to {}", smaller.colluding)
                                 : std::string("use fewer clients or a smaller K");
  return {ErrorCode::kBadShape,
          fmt::format("masks of N = {}, K = {}, T = {} would need {}; {}", shape.parties,
                      shape.blocks, shape.colluding, why, remedy)};
}

MaskFamily family_of(const Shape& shape, int size, std::vector<Subset> sets) {
  return {std::move(sets), shape.parties, size, largest_size(shape) + 1 - size};
}

// All rotations of the blocks, each set once.
MaskFamily orbits(const Shape& shape, std::span<const Subset> blocks) {
  std::vector<Subset> sets;
  for (const Subset& block : blocks) {
    for (int by = 0; by < shape.parties; ++by) sets.push_back(rotated(block, by, shape.parties));
  }
  std::ranges::sort(sets);
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  return family_of(shape, largest_size(shape), std::move(sets));
}

// The shortest of a few searches that differ in how ties are broken.
std::vector<Subset> fewest_blocks(const Shape& shape) {
  const auto letter = [](int value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t tries =
      std::clamp<std::uint64_t>(kTrySteps / OrbitCover::cost(cover_of(shape)), 1, kMostTries);
  std::vector<Subset> best;
  for (std::uint64_t i = 0; i < tries; ++i) {
    const auto random = PublicRandom::keyed(
        {kStream, letter(shape.parties), letter(shape.blocks), letter(shape.colluding), i});
    auto blocks = OrbitCover(cover_of(shape), random).blocks();
    if (best.empty() || blocks.size() < best.size()) best = std::move(blocks);
  }
  return best;
}

Result<MaskFamily> search(const field::Ring& ring, const Shape& shape) {
  FEDVS_TRY_STATUS(validate(shape, ring));
  if (const auto why = too_dear(ring, shape)) return refusal(ring, shape, *why);
  MaskFamily family;
  if (shape.colluding == 1) {
    family = orbits(shape, std::vector<Subset>{first_subset(shape.blocks)});
  } else {
    family = orbits(shape, fewest_blocks(shape));
    if (!repair(ring, shape, family)) family = all_subsets(shape);
  }
  if (family.most_elements() > kMostElements) {
    return refusal(ring, shape,
                   fmt::format("{} random elements per entry", family.most_elements()));
  }
  FEDVS_TRY_STATUS(check_spans(ring, shape, family));
  return family;
}

}  // namespace

std::size_t MaskFamily::elements(int party) const {
  std::size_t outside = 0;
  for (std::size_t set = 0; set < sets.size(); ++set) outside += !contains(set, party);
  return outside * static_cast<std::size_t>(terms);
}

std::size_t MaskFamily::most_elements() const {
  std::size_t most = 0;
  for (int party = 0; party < parties; ++party) most = std::max(most, elements(party));
  return most;
}

bool MaskFamily::contains(std::size_t set, int party) const {
  return std::ranges::binary_search(sets[set], party);
}

int MaskFamily::maker(std::size_t set) const {
  int client = 0;
  while (contains(set, client)) ++client;
  return client;
}

MaskFamily all_subsets(const Shape& shape) {
  std::vector<Subset> sets;
  Subset subset = first_subset(shape.colluding);
  do {
    sets.push_back(subset);
  } while (next_subset(subset, shape.parties));
  return family_of(shape, shape.colluding, std::move(sets));
}

Result<MaskFamily> find_family(const field::Ring& ring, const Shape& shape) {
  static std::mutex mutex;
  static std::map<std::vector<std::uint32_t>, Result<MaskFamily>> found;
  std::vector<std::uint32_t> key;
  for (int letter : {shape.parties, shape.blocks, shape.colluding}) {
    key.push_back(static_cast<std::uint32_t>(letter));
  }
  for (int plane = 0; plane < ring.planes(); ++plane) key.push_back(ring.prime(plane));
  std::lock_guard lock(mutex);
  if (const auto hit = found.find(key); hit != found.end()) return hit->second;
  return found.emplace(std::move(key), search(ring, shape)).first->second;
}

Digest digest_of(const MaskFamily& family) {
  Hasher hasher;
  hasher.add("fedvs mask family 1");
  for (int number : {family.parties, family.size, family.terms}) {
    hasher.add_u64(static_cast<std::uint64_t>(number));
  }
  hasher.add_u64(family.sets.size());
  for (const auto& set : family.sets) {
    for (int client : set) hasher.add_u64(static_cast<std::uint64_t>(client));
  }
  return hasher.finish();
}

}  // namespace fedvs::coding
