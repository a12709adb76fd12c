// The clients' gradient X^T g, and OpenBLAS's sgemm beside it: compare items per second (one item
// is one multiply-add). Rows of a batch lie anywhere in a large table and are warm, for both.
// Run with OPENBLAS_CORETYPE=SkylakeX (Haswell without AVX-512): it does not know newer machines.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>

#include "fedvs/base/public_random.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/model/gradient_batch.h"
#include "fedvs/model/polynomial_network.h"

namespace fedvs::model {
namespace {

constexpr int kScale = 9;
constexpr std::size_t kTableRows = 60'000, kFewRows = 1'000;

struct Problem {
  std::size_t samples, width;
  data::Table features;
  std::vector<float> g, gradient;
  std::vector<std::size_t> rows;

  explicit Problem(const benchmark::State& state)
      : samples(static_cast<std::size_t>(state.range(0))),
        width(static_cast<std::size_t>(state.range(2))) {
    PublicRandom random(1);
    const auto normals = [&](std::size_t count) {
      std::vector<float> values(count);
      for (float& value : values) value = static_cast<float>(random.next_normal());
      return values;
    };
    const auto inputs = static_cast<std::size_t>(state.range(1));
    const std::size_t table_rows = inputs < 100 ? kTableRows : kFewRows;
    features = {table_rows, inputs - 1, normals(table_rows * (inputs - 1))};
    g = normals(samples * width);
    gradient.resize(width * inputs);
    rows = permutation(table_rows, random);
    rows.resize(samples);
    ThreadPool::set_default_threads(1);
  }
};

std::int64_t multiply_adds(const benchmark::State& state) {
  return state.range(0) * state.range(1) * state.range(2);
}

void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"samples", "inputs", "width"});
  b->Args({258, 29, 64})->Args({516, 57, 64})->Args({8, 2000, 64});
}

void gradient(benchmark::State& state, field::Kernel kernel) {
  const auto available = field::available_kernels();
  if (std::find(available.begin(), available.end(), kernel) == available.end()) {
    return state.SkipWithError("this machine lacks the instruction set");
  }
  Problem problem(state);
  const FixedRows x(problem.features, 1, kScale);
  const GradientBatch batch(problem.rows, problem.g, problem.width, 0.1f);
  for (auto _ : state) weight_gradient(x, batch, problem.gradient, float_kernels(kernel));
  state.SetItemsProcessed(state.iterations() * multiply_adds(state));
}

// Rows are gathered first, since BLAS cannot read them where they are.
void gathered_sgemm(benchmark::State& state) {
  openblas_set_num_threads(1);
  Problem problem(state);
  const data::Table x = raise_to_powers(problem.features, 1);
  std::vector<float> batch(problem.samples * x.cols);
  const auto samples = static_cast<blasint>(problem.samples);
  const auto width = static_cast<blasint>(problem.width), inputs = static_cast<blasint>(x.cols);
  for (auto _ : state) {
    for (std::size_t i = 0; i < problem.samples; ++i) {
      std::copy_n(x.row(problem.rows[i]), x.cols, batch.data() + i * x.cols);
    }
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, width, inputs, samples, 0.1f,
                problem.g.data(), width, batch.data(), inputs, 0.0f, problem.gradient.data(),
                inputs);
  }
  state.SetItemsProcessed(state.iterations() * multiply_adds(state));
}

// All clients of a process, batch after batch of an epoch, so that rows are cold: with tables of
// their own, and side by side in one block.
void all_clients(benchmark::State& state, bool side_by_side) {
  constexpr std::size_t kClients = 28, kPadded = 32;
  Problem problem(state);
  const auto block = std::make_shared<RowBlock>(kTableRows, kClients * kPadded, true);
  std::vector<FixedRows> clients;
  for (std::size_t n = 0; n < kClients; ++n) {
    clients.push_back(side_by_side ? FixedRows(problem.features, 1, kScale, block, n * kPadded)
                                   : FixedRows(problem.features, 1, kScale));
  }
  PublicRandom random(2);
  const auto order = permutation(kTableRows, random);
  std::size_t at = 0;
  for (auto _ : state) {
    if (at + problem.samples > kTableRows) at = 0;
    const std::span<const std::size_t> all(order);
    const GradientBatch batch(all.subspan(at, problem.samples), problem.g, problem.width, 0.1f);
    for (const auto& x : clients) weight_gradient(x, batch, problem.gradient);
    at += problem.samples;
  }
  state.SetItemsProcessed(state.iterations() * multiply_adds(state) * int{kClients});
}

BENCHMARK_CAPTURE(gradient, portable, field::Kernel::kPortable)->Apply(shapes);
BENCHMARK_CAPTURE(gradient, avx2, field::Kernel::kAvx2)->Apply(shapes);
BENCHMARK_CAPTURE(gradient, avx512, field::Kernel::kVnni)->Apply(shapes);
BENCHMARK(gathered_sgemm)->Apply(shapes);
BENCHMARK_CAPTURE(all_clients, alone, false)
    ->ArgNames({"samples", "inputs", "width"})
    ->Args({258, 29, 64});
BENCHMARK_CAPTURE(all_clients, side_by_side, true)
    ->ArgNames({"samples", "inputs", "width"})
    ->Args({258, 29, 64});

}  // namespace
}  // namespace fedvs::model
