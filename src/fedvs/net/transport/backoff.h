// How long to wait before trying again: twice as long after each failure, and a random half of that
// less, so that clients which lost the server together do not come back together.
#pragma once
#include <algorithm>
#include <random>
#include <utility>

#include "fedvs/net/transport/limits.h"

namespace fedvs::transport {

class Backoff {
 public:
  Backoff(Duration first, Duration last) : first_(first), last_(last), next_(first) {}

  Duration next() { return jittered(std::exchange(next_, std::min(last_, 2 * next_))); }
  void reset() { next_ = first_; }
  Duration jittered(Duration most) {  // on [most / 2, most]
    std::uniform_int_distribution<Duration::rep> any(most.count() / 2, most.count());
    return Duration(any(random_));
  }

 private:
  const Duration first_, last_;
  Duration next_;
  std::minstd_rand random_{std::random_device{}()};  // nothing secret depends on it
};

}  // namespace fedvs::transport
