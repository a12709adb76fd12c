// What one party does for one other in a round: small pieces, whose overhead counts. One thread, in
// bytes of results per second. The large pieces and the peers are in encode_bench.cc.
#include <benchmark/benchmark.h>

#include "fedvs/base/thread_pool.h"
#include "fedvs/coding/encoder.h"
#include "fedvs/coding/opening.h"
#include "fedvs/coding/seeded_mask.h"

namespace fedvs::coding {
namespace {

field::Ring ring_of(const char* name) { return field::Ring::create(name).value(); }

LagrangeCode code_of(const char* ring, Shape shape) {
  ThreadPool::set_default_threads(1);
  return LagrangeCode::create(ring_of(ring), shape).value();
}

std::vector<field::RingMatrix> drawn(const field::Ring& ring, int count, std::size_t rows,
                                     std::size_t cols) {
  Prng random(Key256{7});
  std::vector<field::RingMatrix> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back(field::uniform(ring, rows, cols, random));
  return blocks;
}

std::vector<const field::RingMatrix*> pointers(const std::vector<field::RingMatrix>& blocks) {
  std::vector<const field::RingMatrix*> out;
  for (const auto& block : blocks) out.push_back(&block);
  return out;
}

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

// What one client does for one other in a round: 4 panels of 16 x 29 weights.
void model_share(benchmark::State& state, const char* ring) {
  const auto code = code_of(ring, {.parties = 28, .blocks = 6, .colluding = 1});
  const auto blocks = drawn(code.ring(), 2, 4, 464);
  const auto in = pointers(blocks);
  auto panels = drawn(code.ring(), 1, 4, 28 * 464);
  int recipient = 0;
  for (auto _ : state) {
    recipient = (recipient + 1) % 28;
    encode(code, Polynomial::kModel, in, recipient, panels[0],
           {.col = 464 * static_cast<std::size_t>(recipient)});
  }
  count_bytes(state, blocks[0].wire_bytes());
}

void mask_share(benchmark::State& state, const char* ring) {
  const auto code = code_of(ring, {.parties = 28, .blocks = 6, .colluding = 1});
  const auto coefficients = drawn(code.ring(), 7, 43, 64);
  const auto in = pointers(coefficients);
  auto upload = drawn(code.ring(), 1, 43, 64);
  for (auto _ : state) encode(code, Polynomial::kMask, in, 3, upload[0], {.add = true});
  count_bytes(state, upload[0].wire_bytes());
}

// All that one client draws and combines for one upload.
void seeded_mask(benchmark::State& state, Shape shape) {
  const auto code = code_of("rns4", shape);
  const SeededMasks masks(code, find_family(code.ring(), shape).value());
  const std::vector<Seed> seeds(masks.family().sets.size(), Seed{7});
  std::size_t bytes = 0;
  for (auto _ : state) bytes = masks.share(seeds, Digest{}, 3, 43, 64).wire_bytes();
  count_bytes(state, bytes);
  state.counters["elements"] = static_cast<double>(masks.family().elements(3));
}

void data_row(benchmark::State& state, const char* ring) {
  const auto code = code_of(ring, {.parties = 28, .blocks = 6, .colluding = 1});
  const auto blocks = drawn(code.ring(), 7, 1, 900);
  const auto in = pointers(blocks);
  auto share = drawn(code.ring(), 1, 1, 900);
  for (auto _ : state) encode(code, Polynomial::kData, in, 3, share[0]);
  count_bytes(state, share[0].wire_bytes());
}

void open_sum(benchmark::State& state, const char* ring) {
  constexpr Shape kShape{.parties = 28, .blocks = 6, .colluding = 1};
  const auto code = code_of(ring, kShape);
  const auto uploads = drawn(code.ring(), kShape.threshold(), 43, 64);
  std::vector<Share> shares;
  for (int n = 0; n < kShape.threshold(); ++n) shares.push_back({n, &uploads[std::size_t(n)]});
  for (auto _ : state) benchmark::DoNotOptimize(open(code, shares).value());
  count_bytes(state, 6 * uploads[0].wire_bytes());
}

void raw_stream(benchmark::State& state) {
  Prng random(Key256{7});
  std::vector<std::uint8_t> bytes(1 << 18);
  for (auto _ : state) random.fill(bytes);
  count_bytes(state, bytes.size());
}

void start_stream(benchmark::State& state) {
  Key256 key{};
  for (auto _ : state) {
    ++key[0];
    benchmark::DoNotOptimize(Prng(key).next_u64());
  }
}

BENCHMARK_CAPTURE(model_share, rns4, "rns4");
BENCHMARK_CAPTURE(model_share, m31, "m31");
BENCHMARK_CAPTURE(mask_share, rns4, "rns4");
BENCHMARK_CAPTURE(seeded_mask, n28_k6_t1, Shape{28, 6, 1});
BENCHMARK_CAPTURE(seeded_mask, n28_k4_t2, Shape{28, 4, 2});
BENCHMARK_CAPTURE(data_row, rns4, "rns4");
BENCHMARK_CAPTURE(open_sum, rns4, "rns4");
BENCHMARK(raw_stream);
BENCHMARK(start_stream);

}  // namespace
}  // namespace fedvs::coding
