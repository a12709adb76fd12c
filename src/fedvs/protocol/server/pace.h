// How long rounds take, and what follows: the soft deadline, and how late a share may come.
#pragma once
#include <algorithm>
#include <deque>
#include <vector>

namespace fedvs::protocol {

class Pace {
 public:
  void add(double plan_to_open, double able_to_open) {
    keep(rounds_, plan_to_open);
    keep(uploads_, able_to_open);
  }
  bool known() const { return !rounds_.empty(); }
  double round() const { return median(rounds_); }  // where it is known
  // 3 times the median plan-to-R-th-upload time of the last 20 rounds; 10 s before there are any.
  double soft_deadline() const { return rounds_.empty() ? 10.0 : 3 * median(rounds_); }
  // A group is waited for while that at most doubles a round: its shares may take as long as the
  // uploads do (from R clients holding all they need to the R-th upload).
  double on_time() const { return uploads_.empty() ? 0.1 : median(uploads_); }

 private:
  static void keep(std::deque<double>& last, double value) {
    last.push_back(value);
    if (last.size() > 20) last.pop_front();
  }
  static double median(const std::deque<double>& values) {
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
  std::deque<double> rounds_, uploads_;
};

}  // namespace fedvs::protocol
