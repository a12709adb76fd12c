// Subsets of the clients 0 .. n-1, each ascending, in one order that all parties share.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace fedvs::coding {

using Subset = std::vector<int>;

// n over k; all that is beyond 2^62 counts as 2^62.
std::uint64_t binomial(int n, int k);
// Whether `set` has all of `subset`; both ascending.
bool includes(std::span<const int> set, std::span<const int> subset);
// The next one in lexicographic order; false after the last.
bool next_subset(Subset& subset, int n);
// {0, .., k-1}: the first one.
Subset first_subset(int k);

// The place of {e_1 < .. < e_k} among all k-subsets: sum over i of (e_i over i), below (n over k).
class SubsetIndex {
 public:
  SubsetIndex(int n, int k);  // (n over k) < 2^32
  // What element e adds to the place as the i-th smallest, i from 0.
  std::uint32_t part(int i, int e) const {
    return parts_[static_cast<std::size_t>(i) * n_ + static_cast<std::size_t>(e)];
  }

 private:
  std::size_t n_;
  std::vector<std::uint32_t> parts_;
};

}  // namespace fedvs::coding
