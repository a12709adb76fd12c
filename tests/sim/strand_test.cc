#include "fedvs/sim/strand.h"

#include <gmock/gmock.h>

#include <numeric>

#include "fedvs/base/thread_pool.h"

namespace fedvs::sim {
namespace {

constexpr int kSteps = 500;

// Steps 0, 1, 2 .. of a strand; each notes its number without a lock, as a client's arithmetic
// does.
Strand::Work numbered(std::vector<int>& done, int first, int count) {
  Strand::Work work;
  for (int i = first; i < first + count; ++i) work.push_back([&done, i] { done.push_back(i); });
  return work;
}

TEST(Strand, DoesItsWorkInOrderHoweverManyThreadsThereAre) {
  std::vector<int> expected(kSteps);
  std::iota(expected.begin(), expected.end(), 0);
  for (int threads : {1, 2, 4}) {
    ThreadPool::set_default_threads(threads);
    std::vector<Strand> strands(5);
    std::vector<std::vector<int>> done(strands.size());
    for (int i = 0; i < kSteps; i += 2) {
      for (std::size_t s = 0; s < strands.size(); ++s) strands[s].post(numbered(done[s], i, 2));
    }
    ThreadPool::global().wait();
    for (const auto& steps : done) EXPECT_EQ(steps, expected) << threads << " threads";
  }
}

TEST(Strand, TakesNewWorkAfterItWasDone) {
  ThreadPool::set_default_threads(3);
  Strand strand;
  std::vector<int> done;
  for (int i = 0; i < 50; ++i) {
    strand.post(numbered(done, i, 1));
    ThreadPool::global().wait();
    ASSERT_EQ(done.size(), static_cast<std::size_t>(i) + 1);
  }
  strand.post({});
  ThreadPool::global().wait();
  EXPECT_EQ(done.size(), 50u);
}

}  // namespace
}  // namespace fedvs::sim
