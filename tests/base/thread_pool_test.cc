#include "fedvs/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace fedvs {
namespace {

TEST(ThreadPool, CoversTheRangeOnceWhateverTheSizes) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (std::size_t count : {0u, 1u, 2u, 7u, 64u, 1000u}) {
      for (std::size_t grain : {0u, 1u, 5u, 100u, 5000u}) {
        std::vector<int> visits(count);  // not atomic: a range visited twice is a race
        pool.parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
        EXPECT_EQ(visits, std::vector<int>(count, 1)) << threads << " " << count << " " << grain;
      }
    }
  }
}

TEST(ThreadPool, GivesNoPieceShorterThanTheGrainButTheLast) {
  ThreadPool pool(4);
  std::atomic<int> shorter{0};
  pool.parallel_for(1003, 10, [&](std::size_t begin, std::size_t end) {
    if (end - begin < 10 && end != 1003) ++shorter;
  });
  EXPECT_EQ(shorter, 0);
}

TEST(ThreadPool, RunsNestedLoopsOnTheCallersThread) {
  ThreadPool pool(3);
  std::vector<int> visits(30 * 40);
  std::atomic<int> elsewhere{0};
  pool.parallel_for(30, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto caller = std::this_thread::get_id();
      pool.parallel_for(40, 1, [&](std::size_t first, std::size_t last) {
        if (std::this_thread::get_id() != caller) ++elsewhere;
        for (std::size_t j = first; j < last; ++j) ++visits[i * 40 + j];
      });
    }
  });
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(2);
  std::vector<std::thread> callers;
  std::vector<long> sums(4);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    callers.emplace_back([&pool, &sum = sums[c]] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<long> total{0};
        pool.parallel_for(100, 1, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) total += static_cast<long>(i);
        });
        sum += total;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sums, std::vector<long>(4, 200 * 4950));
}

TEST(ThreadPool, TheGlobalOneHasAsManyThreadsAsAskedFor) {
  ThreadPool::set_default_threads(3);
  EXPECT_EQ(ThreadPool::global().threads(), 3);
  ThreadPool::set_default_threads(1);
  EXPECT_EQ(ThreadPool::global().threads(), 1);
}

TEST(ThreadPool, DoesEveryJobOnceWhateverElseRuns) {
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> done(200);
    std::atomic<std::size_t> looped = 0;
    for (std::size_t i = 0; i < done.size(); ++i) {
      pool.later([&done, i] { ++done[i]; });
      if (i % 20 == 0) {
        pool.parallel_for(50, 1,
                          [&](std::size_t begin, std::size_t end) { looped += end - begin; });
      }
    }
    pool.wait();
    for (const auto& times : done) EXPECT_EQ(times, 1) << threads;
    EXPECT_EQ(looped, 500u);
    pool.wait();  // with nothing left
  }
}

TEST(ThreadPool, AJobHasOneThreadToItself) {
  ThreadPool pool(3);
  std::atomic<bool> whole = true;
  for (int i = 0; i < 20; ++i) {
    pool.later([&] {
      pool.parallel_for(100, 1, [&](std::size_t begin, std::size_t end) {
        if (begin != 0 || end != 100) whole = false;
      });
    });
  }
  pool.wait();
  EXPECT_TRUE(whole);
}

}  // namespace
}  // namespace fedvs
