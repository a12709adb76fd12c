// The same work for several clients at the same time, on all threads.
#pragma once
#include <cstddef>

#include "fedvs/base/thread_pool.h"

namespace fedvs::baselines {

template <class Work>  // work(i) for i = 0 .. count - 1
void for_all(std::size_t count, const Work& work) {
  ThreadPool::global().parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) work(i);
  });
}

}  // namespace fedvs::baselines
