// Few sets of t clients such that every T-subset lies in at least d of them. Clients sit on a
// circle, and with a set come all its rotations: coverage is then the same for a T-subset and its
// rotations, all clients are in equally many sets, and the search is N times as small. Greedy: a
// set starts with a T-subset that lies in too few sets, takes in, one by one, the client that
// completes the most such subsets (each weighs as much as it lacks), and then exchanges members
// while that completes more. At least (N over T) d / (t over T) sets are needed; this finds 1 to
// 1.7 times as many.
#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "fedvs/base/public_random.h"
#include "fedvs/coding/subsets.h"

namespace fedvs::coding {

struct CoverShape {
  int parties;    // N
  int colluding;  // T >= 2
  int size;       // t > T
  int times;      // d
};

class OrbitCover {
 public:
  OrbitCover(CoverShape shape, PublicRandom random);  // random breaks ties
  std::vector<Subset> blocks();                       // one set of each orbit; to be called once
  // Steps that blocks() takes, about; some 10 ns each.
  static std::uint64_t cost(const CoverShape& shape);

 private:
  // Where the others of `block` sit on the circle, if the client after `origin` sits at 0;
  // ascending.
  Subset seen_from(const Subset& block, int origin) const;
  // Visits the counts of all T-subsets of an origin and T-1 of those `seen` from it. depth of these
  // have been chosen before place from; they make up `place` in the index.
  template <class Visit>
  void for_each_count(const Subset& seen, std::size_t from, int depth, std::uint32_t place,
                      const Visit& visit);
  std::uint64_t gain(const Subset& block, int client);
  void add_best(Subset& block, const std::vector<std::size_t>& order);
  Subset grown(const Subset& start);
  // `block`, with another member if it is a rotation of itself or of one taken before: then its
  // orbit has fewer sets than are counted. As it is if that does not help; the caller checks ranks.
  Subset unlike_taken(const Subset& block);
  Subset first_rotation(const Subset& block) const;  // the least of all; {} if two are the same
  void take(const Subset& block);
  bool find_missing();  // moves next_missing_ on; false if nothing is missing

  CoverShape shape_;
  PublicRandom random_;
  SubsetIndex index_;
  std::vector<std::uint16_t> counts_;  // per T-subset with client 0, by its T-1 others
  Subset next_missing_;                // such others, each less one
  std::set<Subset> taken_;             // by their first rotations
};

// {.., c + by mod N, ..}, ascending.
Subset rotated(const Subset& set, int by, int parties);

}  // namespace fedvs::coding
