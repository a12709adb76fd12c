// Full-duplex links of one bandwidth in and out of every party, no latency. A message of s bytes
// ready at t starts at max(t, sender's out_free) and arrives at max(start, receiver's in_free) +
// s/B.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace fedvs::sim {

class Links {
 public:
  Links(int parties, double megabits_per_second)
      : bytes_per_second_(megabits_per_second * 1e6 / 8),
        out_free_(static_cast<std::size_t>(parties) + 1, 0.0),
        in_free_(static_cast<std::size_t>(parties) + 1, 0.0),
        last_arrival_(in_free_.size() * in_free_.size(), 0.0) {}

  // Parties are -1 (the server) .. N-1. Returns the time of arrival.
  double send(int from, int to, std::size_t bytes, double ready) {
    const double seconds = static_cast<double>(bytes) / bytes_per_second_;
    double& out_free = out_free_[index(from)];
    double& in_free = in_free_[index(to)];
    const double start = std::max(ready, out_free);
    const double arrival = std::max(start, in_free) + seconds;
    out_free = start + seconds;
    in_free = arrival;
    last_arrival_[index(from) * in_free_.size() + index(to)] = arrival;
    return arrival;
  }
  // A message that takes no time still does not overtake one sent before it.
  double send_free(int from, int to, double ready) const {
    return std::max(ready, last_arrival_[index(from) * in_free_.size() + index(to)]);
  }
  double seconds(double bytes) const { return bytes / bytes_per_second_; }

 private:
  static std::size_t index(int party) { return static_cast<std::size_t>(party + 1); }
  double bytes_per_second_;
  std::vector<double> out_free_, in_free_, last_arrival_;
};

}  // namespace fedvs::sim
