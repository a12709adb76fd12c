#include "fedvs/coding/span_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "fedvs/coding/mask_family.h"
#include "fedvs/coding/row_space.h"

namespace fedvs::coding {
namespace {

using field::Residue;

// The rows of all (A, j) modulo one prime, and how far those of some sets reach.
class Plane {
 public:
  Plane(const Shape& shape, const MaskFamily& family, std::uint32_t prime)
      : width_(static_cast<std::size_t>(shape.blocks + shape.colluding - 1)),
        terms_(static_cast<std::size_t>(family.terms)),
        space_(width_, prime) {
    const int first_alpha = shape.blocks + shape.colluding;
    for (const Subset& set : family.sets) {
      std::vector<Residue> row(width_, 1);
      for (Residue beta = 0; beta < width_; ++beta) {
        for (int client : set) {
          const auto alpha = static_cast<Residue>(first_alpha + client);
          row[beta] = field::multiply(row[beta], field::subtract(beta, alpha, prime), prime);
        }
      }
      add_terms(row, prime);
    }
  }
  bool spanned_by(std::span<const std::size_t> sets) {
    space_.clear();
    for (std::size_t set : sets) {
      for (std::size_t j = 0; j < terms_; ++j) {
        space_.add(std::span(rows_).subspan((set * terms_ + j) * width_, width_));
        if (space_.full()) return true;
      }
    }
    return false;
  }

 private:
  void add_terms(std::vector<Residue>& row, std::uint32_t prime) {
    for (std::size_t j = 0; j < terms_; ++j) {
      rows_.insert(rows_.end(), row.begin(), row.end());
      for (Residue beta = 0; beta < width_; ++beta) {
        row[beta] = field::multiply(row[beta], beta, prime);
      }
    }
  }
  std::size_t width_, terms_;
  RowSpace space_;
  std::vector<Residue> rows_;
};

class Checker {
 public:
  Checker(const field::Ring& ring, const Shape& shape, const MaskFamily& family)
      : ring_(ring), shape_(shape), family_(family), members_(family.sets.size()) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      members_[i].assign(static_cast<std::size_t>(shape.parties), false);
      for (int client : family.sets[i]) members_[i][static_cast<std::size_t>(client)] = true;
    }
  }

  bool safe(const Subset& subset) {
    sets_ = containing(subset);
    if (sets_.size() * static_cast<std::size_t>(family_.terms) < width()) return false;
    if (shape_.colluding == 1 && peels()) return true;
    while (planes_.size() < static_cast<std::size_t>(ring_.planes())) {
      planes_.emplace_back(shape_, family_, ring_.prime(static_cast<int>(planes_.size())));
    }
    return std::ranges::all_of(planes_, [&](Plane& plane) { return plane.spanned_by(sets_); });
  }

 private:
  std::size_t width() const {
    return static_cast<std::size_t>(shape_.blocks + shape_.colluding - 1);
  }
  bool has(std::size_t set, int client) const {
    return members_[set][static_cast<std::size_t>(client)];
  }
  // The lists of all but the last client of a subset are kept: the next subset mostly has the same.
  const std::vector<std::size_t>& containing(const Subset& subset) {
    lists_.resize(subset.size() + 1);
    if (lists_[0].size() != members_.size()) {
      lists_[0].resize(members_.size());
      std::iota(lists_[0].begin(), lists_[0].end(), std::size_t{0});
    }
    const auto same = std::ranges::mismatch(subset, last_).in1 - subset.begin();
    for (auto depth = static_cast<std::size_t>(same); depth < subset.size(); ++depth) {
      lists_[depth + 1].clear();
      std::ranges::copy_if(lists_[depth], std::back_inserter(lists_[depth + 1]),
                           [&](std::size_t set) { return has(set, subset[depth]); });
    }
    last_ = subset;
    return lists_.back();
  }
  // Whether K+T-1 of the sets can be taken away one by one, each the only one left that some client
  // is not in: at that client's alpha all others vanish and it does not, so it is independent of
  // them modulo every prime, and no arithmetic is needed. True of the intervals of T = 1.
  bool peels() const {
    std::vector<std::size_t> without(static_cast<std::size_t>(shape_.parties), 0);
    for (int client = 0; client < shape_.parties; ++client) {
      for (std::size_t set : sets_) without[static_cast<std::size_t>(client)] += !has(set, client);
    }
    auto left = sets_;
    for (std::size_t peeled = 0; peeled < width(); ++peeled) {
      const auto lone = std::ranges::find(without, std::size_t{1});
      if (lone == without.end()) return false;
      const auto client = static_cast<int>(lone - without.begin());
      const auto set = std::ranges::find_if(left, [&](std::size_t s) { return !has(s, client); });
      for (int c = 0; c < shape_.parties; ++c) {
        without[static_cast<std::size_t>(c)] -= !has(*set, c);
      }
      left.erase(set);
    }
    return true;
  }

  const field::Ring& ring_;
  const Shape& shape_;
  const MaskFamily& family_;
  std::vector<std::vector<bool>> members_;  // per set
  std::vector<std::vector<std::size_t>> lists_;
  Subset last_;
  std::vector<std::size_t> sets_;  // that contain the subset at hand
  std::vector<Plane> planes_;      // made when the first is needed
};

}  // namespace

std::vector<Subset> unsafe_subsets(const field::Ring& ring, const Shape& shape,
                                   const MaskFamily& family, std::size_t most) {
  Checker checker(ring, shape, family);
  std::vector<Subset> unsafe;
  Subset subset = first_subset(shape.colluding);
  do {
    if (!checker.safe(subset)) unsafe.push_back(subset);
  } while (unsafe.size() < most && next_subset(subset, shape.parties));
  return unsafe;
}

std::vector<Subset> unsafe_among(const field::Ring& ring, const Shape& shape,
                                 const MaskFamily& family, std::span<const Subset> candidates) {
  Checker checker(ring, shape, family);
  std::vector<Subset> unsafe;
  std::ranges::copy_if(candidates, std::back_inserter(unsafe),
                       [&](const Subset& subset) { return !checker.safe(subset); });
  return unsafe;
}

Status check_spans(const field::Ring& ring, const Shape& shape, const MaskFamily& family) {
  const auto unsafe = unsafe_subsets(ring, shape, family, 1);
  if (unsafe.empty()) return {};
  std::vector<int> numbers;
  for (int client : unsafe[0]) numbers.push_back(client + 1);
  return Error{
      ErrorCode::kBadShape,
      fmt::format("the sets of the masks are too few: of N = {}, K = {}, T = {}, client{} {} "
                  "would see more than a uniform mask; use the sets that the search finds",
                  shape.parties, shape.blocks, shape.colluding, numbers.size() == 1 ? "" : "s",
                  fmt::join(numbers, ", "))};
}

std::uint64_t span_cost(const field::Ring& ring, const Shape& shape) {
  const auto width = static_cast<std::uint64_t>(shape.blocks + shape.colluding - 1);
  const std::uint64_t subsets = binomial(shape.parties, shape.colluding);
  const auto peel = 2 * width * static_cast<std::uint64_t>(shape.parties);
  const auto planes = static_cast<std::uint64_t>(ring.word_bytes() == 1 ? ring.planes() : 3);
  const auto each = shape.colluding == 1 ? peel : width * width * (width + 8) * planes;
  return subsets > UINT64_MAX / each ? UINT64_MAX : subsets * each;
}

}  // namespace fedvs::coding
