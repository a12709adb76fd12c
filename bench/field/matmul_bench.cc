// The coded product of Eq. (5), and FLINT's over 2^31 - 1 beside it: compare items per second
// (one item is one multiply-add over the whole ring).
#include <benchmark/benchmark.h>
#include <flint/flint.h>
#include <flint/nmod_mat.h>

#include <numeric>

#include "fedvs/base/thread_pool.h"
#include "fedvs/field/matmul.h"

namespace fedvs::field {
namespace {

std::int64_t products(const benchmark::State& state) {
  return state.range(0) * state.range(1) * state.range(2);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"m", "k", "n"})->Args({64, 784, 64})->Args({256, 784, 64})->Args({86, 1596, 64});
}

void product(benchmark::State& state, const char* ring_name) {
  ThreadPool::set_default_threads(1);
  const Ring ring = Ring::create(ring_name).value();
  Prng random(Key256{7});
  const auto m = static_cast<std::size_t>(state.range(0));
  const auto x = uniform(ring, m, static_cast<std::size_t>(state.range(1)), random);
  const auto w = uniform(ring, static_cast<std::size_t>(state.range(2)), x.cols(), random);
  std::vector<std::size_t> rows(m);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (auto _ : state) benchmark::DoNotOptimize(multiply(x, rows, w));
  state.SetItemsProcessed(state.iterations() * products(state));
}

void flint_product(benchmark::State& state) {
  flint_rand_t random;
  flint_randinit(random);
  nmod_mat_t x, w, h;
  nmod_mat_init(x, state.range(0), state.range(1), (1u << 31) - 1);
  nmod_mat_init(w, state.range(1), state.range(2), (1u << 31) - 1);
  nmod_mat_init(h, state.range(0), state.range(2), (1u << 31) - 1);
  nmod_mat_randfull(x, random);
  nmod_mat_randfull(w, random);
  for (auto _ : state) nmod_mat_mul(h, x, w);
  nmod_mat_clear(x);
  nmod_mat_clear(w);
  nmod_mat_clear(h);
  flint_randclear(random);
  state.SetItemsProcessed(state.iterations() * products(state));
}

BENCHMARK_CAPTURE(product, rns4, "rns4")->Apply(shapes);
BENCHMARK_CAPTURE(product, m31, "m31")->Apply(shapes);
BENCHMARK(flint_product)->Apply(shapes);

}  // namespace
}  // namespace fedvs::field
