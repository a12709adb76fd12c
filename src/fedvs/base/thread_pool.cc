#include "fedvs/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fedvs/base/check.h"
#include "fedvs/base/log.h"

namespace fedvs {
namespace {

constexpr std::size_t kPiecesPerThread = 4;  // so that a slow thread does not hold up the rest
// Loops follow each other closely, and waking a thread takes about as long as this many looks.
constexpr int kLooks = 1000;  // some 20 us
thread_local bool inside_loop = false;

template <class Holds>
void look_for(const Holds& holds) {
  for (int i = 0; i < kLooks && !holds(); ++i) __builtin_ia32_pause();
}

struct InsideLoop {
  InsideLoop() { inside_loop = true; }
  ~InsideLoop() { inside_loop = false; }
};

}  // namespace

struct ThreadPool::State {
  std::mutex one_loop;  // held by the caller whose loop is running
  std::mutex mutex;     // guards what follows; atomics may be looked at without it
  std::condition_variable wake, done, idle;
  const std::function<void(std::size_t, std::size_t)>* body = nullptr;
  std::size_t count = 0, piece = 0;
  std::atomic<std::size_t> next{0}, working{0};
  std::atomic<std::uint64_t> loop{0};
  std::deque<std::function<void()>> jobs;
  std::atomic<std::size_t> jobs_waiting{0};
  std::size_t jobs_running = 0;
  bool stop = false;
  std::vector<std::thread> workers;

  void run_pieces() {
    InsideLoop guard;
    for (std::size_t begin = next.fetch_add(piece); begin < count; begin = next.fetch_add(piece)) {
      (*body)(begin, std::min(begin + piece, count));
    }
  }

  void run_job(std::unique_lock<std::mutex>& lock) {
    const auto job = std::move(jobs.front());
    jobs.pop_front();
    --jobs_waiting;
    ++jobs_running;
    lock.unlock();
    {
      InsideLoop guard;
      job();
    }
    lock.lock();
    if (--jobs_running == 0 && jobs.empty()) idle.notify_all();
  }

  void work() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      if (jobs.empty() && !stop) {
        lock.unlock();
        look_for([&] { return loop != seen || jobs_waiting != 0; });
        lock.lock();
      }
      wake.wait(lock, [&] { return stop || loop != seen || !jobs.empty(); });
      if (stop) return;
      if (loop == seen) {
        run_job(lock);
        continue;
      }
      seen = loop;
      lock.unlock();
      run_pieces();
      lock.lock();
      if (--working == 0) done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  FEDVS_CHECK(threads >= 1, "a pool has at least the caller's thread");
  for (int i = 1; i < threads; ++i) {
    try {
      state_->workers.emplace_back([state = state_.get()] { state->work(); });
    } catch (const std::system_error& limit) {  // ulimit -u, or a container's
      log::warning("the system gave {} threads of {}: {}", i, threads, limit.what());
      break;
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

int ThreadPool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::parallel_for(std::size_t count, std::size_t grain,
                              const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  std::unique_lock mine(state_->one_loop, std::defer_lock);
  // A pool that another thread keeps busy helps nobody: that caller works alone, too.
  if (inside_loop || state_->workers.empty() || count <= grain || !mine.try_lock()) {
    return body(0, count);
  }
  const std::size_t pieces = kPiecesPerThread * static_cast<std::size_t>(threads());
  {
    std::lock_guard lock(state_->mutex);
    state_->body = &body;
    state_->count = count;
    state_->piece = std::max({grain, (count + pieces - 1) / pieces, std::size_t{1}});
    state_->next = 0;
    state_->working = state_->workers.size();
    ++state_->loop;
  }
  state_->wake.notify_all();
  state_->run_pieces();
  look_for([&] { return state_->working == 0; });
  std::unique_lock lock(state_->mutex);
  state_->done.wait(lock, [&] { return state_->working == 0; });
}

void ThreadPool::later(std::function<void()> job) {
  {
    std::lock_guard lock(state_->mutex);
    state_->jobs.push_back(std::move(job));
    ++state_->jobs_waiting;
  }
  state_->wake.notify_one();
}

void ThreadPool::wait() {
  std::unique_lock lock(state_->mutex);
  while (!state_->jobs.empty()) state_->run_job(lock);
  state_->idle.wait(lock, [&] { return state_->jobs_running == 0; });
}

namespace {

struct GlobalPool {
  std::mutex mutex;
  std::unique_ptr<ThreadPool> pool;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
};

GlobalPool& global_pool() {
  static GlobalPool instance;
  return instance;
}

}  // namespace

ThreadPool& ThreadPool::global() {
  GlobalPool& shared = global_pool();
  std::lock_guard lock(shared.mutex);
  if (!shared.pool) shared.pool = std::make_unique<ThreadPool>(shared.threads);
  return *shared.pool;
}

void ThreadPool::set_default_threads(int threads) {
  GlobalPool& shared = global_pool();
  std::lock_guard lock(shared.mutex);
  shared.threads = std::max(1, threads);
  shared.pool.reset();
}

}  // namespace fedvs
