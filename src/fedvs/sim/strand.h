// One client's arithmetic on the thread pool: in the order it was posted, on one thread at a time,
// beside the other clients' and beside the simulation's control flow, which depends on no number.
#pragma once
#include <functional>
#include <mutex>
#include <vector>

namespace fedvs::sim {

class Strand {
 public:
  using Work = std::vector<std::function<void()>>;
  // Done when ThreadPool::wait() returns. The strand outlives it.
  void post(Work work);

 private:
  void drain();
  std::mutex mutex_;
  Work posted_;
  bool running_ = false;
};

}  // namespace fedvs::sim
