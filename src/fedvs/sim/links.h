// Full-duplex links of one bandwidth in and out of every party, no latency. A message of s bytes
// ready at t starts at max(t, sender's out_free) and arrives at max(start, receiver's in_free) +
// s/B. Where links have lanes, as the networked product's have, a message waits for those of its
// own and of more urgent lanes (lower numbers) only, and holds up the others: what is sent on a
// less urgent lane later comes later by as much. What is on its way already is not put off.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace fedvs::sim {

class Links {
 public:
  Links(int parties, double megabits_per_second, int lanes = 1)
      : bytes_per_second_(megabits_per_second * 1e6 / 8),
        parties_(static_cast<std::size_t>(parties) + 1),
        lanes_(static_cast<std::size_t>(lanes)),
        out_free_(parties_ * lanes_, 0.0),
        in_free_(parties_ * lanes_, 0.0),
        last_arrival_(parties_ * parties_ * lanes_, 0.0) {}

  // Parties are -1 (the server) .. N-1. Returns the time of arrival.
  double send(int from, int to, std::size_t bytes, double ready, int lane = 0) {
    const double seconds = static_cast<double>(bytes) / bytes_per_second_;
    const auto own = static_cast<std::size_t>(lane);
    double* const out_free = &out_free_[index(from) * lanes_];
    double* const in_free = &in_free_[index(to) * lanes_];
    const double start = std::max(ready, out_free[own]);
    const double begins_to_arrive = std::max(start, in_free[own]);
    const double arrival = begins_to_arrive + seconds;
    for (std::size_t l = own; l < lanes_; ++l) {
      out_free[l] = std::max(out_free[l], start) + seconds;
      in_free[l] = std::max(in_free[l], begins_to_arrive) + seconds;
      double& last = last_arrival_[pair(from, to) + l];
      last = std::max(last, arrival);
    }
    return arrival;
  }
  // A message that takes no time still does not overtake one sent before it on its lane or a more
  // urgent one.
  double send_free(int from, int to, double ready, int lane = 0) const {
    return std::max(ready, last_arrival_[pair(from, to) + static_cast<std::size_t>(lane)]);
  }
  double seconds(double bytes) const { return bytes / bytes_per_second_; }

 private:
  static std::size_t index(int party) { return static_cast<std::size_t>(party + 1); }
  std::size_t pair(int from, int to) const { return (index(from) * parties_ + index(to)) * lanes_; }
  double bytes_per_second_;
  std::size_t parties_, lanes_;
  // Per party and lane: when everything on it and on more urgent ones has passed.
  std::vector<double> out_free_, in_free_, last_arrival_;
};

}  // namespace fedvs::sim
