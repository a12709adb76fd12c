// A fixed set of threads for loops whose iterations are independent. Results never depend on how
// many there are: integer work is exact, and floating sums are never split across iterations.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

namespace fedvs {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // at least 1; the caller's thread counts as one
  ~ThreadPool();
  int threads() const;
  // Calls body(begin, end) on disjoint ranges that cover [0, count), each at least `grain` long
  // (but the last); returns when all are done. A nested call runs on the caller's thread.
  void parallel_for(std::size_t count, std::size_t grain,
                    const std::function<void(std::size_t, std::size_t)>& body);

  // Work that nobody waits for yet: a thread without a loop to do takes it up, and wait() does what
  // is left. A job has one thread to itself.
  void later(std::function<void()> job);
  void wait();  // until every job is done

  static ThreadPool& global();                   // made at first use with `default_threads`
  static void set_default_threads(int threads);  // replaces the global pool; not while it works

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fedvs
