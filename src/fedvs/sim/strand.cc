#include "fedvs/sim/strand.h"

#include <iterator>
#include <utility>

#include "fedvs/base/thread_pool.h"

namespace fedvs::sim {

void Strand::post(Work work) {
  {
    std::lock_guard lock(mutex_);
    posted_.insert(posted_.end(), std::make_move_iterator(work.begin()),
                   std::make_move_iterator(work.end()));
    if (std::exchange(running_, true)) return;
  }
  ThreadPool::global().later([this] { drain(); });
}

void Strand::drain() {
  while (true) {
    Work work;
    {
      std::lock_guard lock(mutex_);
      if (posted_.empty()) {
        running_ = false;
        return;
      }
      work.swap(posted_);
    }
    for (const auto& step : work) step();
  }
}

}  // namespace fedvs::sim
