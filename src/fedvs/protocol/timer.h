// Instants and spans of a driver's clock, in seconds. A party has no clock of its own: every call
// says what time it is.
#pragma once
#include <limits>
#include <optional>

#include "fedvs/base/check.h"

namespace fedvs::protocol {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

// Since when something holds, while it does.
class Timer {
 public:
  void start(double now) { since_ = now; }  // from now on, also if it runs already
  void start_if_stopped(double now) {
    if (!since_) since_ = now;
  }
  void stop() { since_.reset(); }
  bool runs() const { return since_.has_value(); }
  double since() const {
    FEDVS_CHECK(since_, "a timer is read while it runs");
    return *since_;
  }
  double elapsed(double now) const { return now - since(); }

 private:
  std::optional<double> since_;
};

}  // namespace fedvs::protocol
