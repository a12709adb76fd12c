// Sharing data and models, dealing zero masks and opening sums: bytes of shares per second.
#include <benchmark/benchmark.h>

#include "fedvs/base/thread_pool.h"
#include "fedvs/coding/opening.h"

namespace fedvs::coding {
namespace {

constexpr Shape kShape{.parties = 28, .blocks = 6, .colluding = 1};

LagrangeCode code_of(const char* ring) {
  ThreadPool::set_default_threads(1);
  return LagrangeCode::create(field::Ring::create(ring).value(), kShape).value();
}

void share_data(benchmark::State& state, const char* ring) {
  const auto code = code_of(ring);
  Prng random(Key256{7});
  std::vector<field::RingMatrix> blocks;
  for (int i = 0; i < kShape.blocks + kShape.colluding; ++i) {
    blocks.push_back(field::uniform(code.ring(), 1, 65536, random));
  }
  std::vector<const field::RingMatrix*> in;
  for (const auto& block : blocks) in.push_back(&block);
  const auto data = std::span(in).first(kShape.blocks),
             masks = std::span(in).subspan(kShape.blocks);
  for (auto _ : state) benchmark::DoNotOptimize(code.share_data(data, masks));
  state.SetBytesProcessed(state.iterations() * kShape.parties *
                          static_cast<std::int64_t>(blocks[0].wire_bytes()));
}

void deal_zero_mask(benchmark::State& state, const char* ring) {
  const auto code = code_of(ring);
  Prng random(Key256{7});
  for (auto _ : state) benchmark::DoNotOptimize(code.deal_zero_mask(43, 64, random));
  state.SetBytesProcessed(state.iterations() * kShape.parties * 43 * 64 *
                          code.ring().bytes_per_element());
}

void uniform_masks(benchmark::State& state, const char* ring) {
  const auto code = code_of(ring);
  Prng random(Key256{7});
  for (auto _ : state) benchmark::DoNotOptimize(field::uniform(code.ring(), 1, 65536, random));
  state.SetBytesProcessed(state.iterations() * 65536 * code.ring().bytes_per_element());
}

void open_sum(benchmark::State& state, const char* ring) {
  const auto code = code_of(ring);
  Prng random(Key256{7});
  const auto uploads = code.deal_zero_mask(43, 64, random);
  std::vector<Share> shares;
  for (int n = 0; n < kShape.threshold(); ++n) shares.push_back({n, &uploads[std::size_t(n)]});
  for (auto _ : state) benchmark::DoNotOptimize(open(code, shares).value());
  state.SetBytesProcessed(state.iterations() * kShape.threshold() *
                          static_cast<std::int64_t>(uploads[0].wire_bytes()));
}

BENCHMARK_CAPTURE(share_data, rns4, "rns4");
BENCHMARK_CAPTURE(share_data, m31, "m31");
BENCHMARK_CAPTURE(deal_zero_mask, rns4, "rns4");
BENCHMARK_CAPTURE(uniform_masks, rns4, "rns4");
BENCHMARK_CAPTURE(uniform_masks, m31, "m31");
BENCHMARK_CAPTURE(open_sum, rns4, "rns4");

}  // namespace
}  // namespace fedvs::coding
