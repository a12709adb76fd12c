// Things that happen to the parties of a run at random, never leaving fewer than R awake.
#pragma once
#include <random>
#include <vector>

#include "tests/support/stage.h"

namespace fedvs::testing {

class Chaos {
 public:
  Chaos(Stage& stage, unsigned seed) : stage_(stage), random_(seed), asleep_(9, false) {}

  // One thing, that leaves five clients alive and awake.
  void disturb() {
    const int n = pick(9);
    switch (pick(5)) {
      case 0:
      case 1:
        return stage_.alive(n) ? kill(n) : stage_.start_client(n);
      case 2:
        if (stage_.alive(n) && !asleep_[index(n)]) stage_.come_back(n);
        return;
      case 3:
        return asleep_[index(n)] ? thaw(n) : freeze(n);
      default:
        if (pick(4) != 0) return;
        stage_.kill_server();
        stage_.start_server();
    }
  }
  void calm() {
    for (int n = 0; n < 9; ++n) {
      if (asleep_[index(n)]) thaw(n);
      if (!stage_.alive(n)) stage_.start_client(n);
    }
  }
  bool awake(int n) const { return stage_.alive(n) && !asleep_[index(n)]; }
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

 private:
  static std::size_t index(int n) { return static_cast<std::size_t>(n); }
  bool may_lose(int n) const {
    int others = 0;
    for (int m = 0; m < 9; ++m) others += awake(m) ? 1 : 0;
    return awake(n) && others > 5;
  }
  void kill(int n) {
    if (may_lose(n)) stage_.kill_client(n, /*noticed=*/pick(4) != 0);
  }
  void freeze(int n) {
    if (!may_lose(n)) return;
    stage_.freeze_client(n);
    asleep_[index(n)] = true;
  }
  void thaw(int n) {
    stage_.thaw_client(n);
    asleep_[index(n)] = false;
  }
  Stage& stage_;
  std::mt19937 random_;
  std::vector<bool> asleep_;
};

}  // namespace fedvs::testing
