// Sharing data, sampling masks and opening sums, beside FLINT and beside what memory can take.
// One thread, random data; bytes of shares per second.
#include "bench/micro.h"
#include "bench/peers/flint_product.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/experiments/measuring/coding_trials.h"

namespace fedvs::bench {
namespace {

constexpr coding::Shape kEncode{.parties = 28, .blocks = 7, .colluding = 1};  // K + T = 8
constexpr std::size_t kColumns = 1 << 19;                                     // past the caches
constexpr coding::Shape kDecode{.parties = 28, .blocks = 7, .colluding = 1};  // R = 15
constexpr std::size_t kOpened = 16384;
constexpr std::size_t kMasks = 1 << 16;
constexpr double kElement = 4;  // bytes, rns4 and m31 alike

double bytes(std::size_t outputs, std::size_t columns) {
  return kElement * static_cast<double>(outputs * columns);
}

void register_ring(const std::string& name) {
  const auto ring = field::Ring::create(name).value();
  register_trial("encode/" + name + "/n28k8", bytes(28, kColumns),
                 [=] { return std::make_unique<measuring::EncodeTrial>(ring, kEncode, kColumns); });
  register_trial("decode/" + name + "/k7r15", bytes(7, kOpened),
                 [=] { return std::make_unique<measuring::DecodeTrial>(ring, kDecode, kOpened); });
  register_trial("masks/" + name, bytes(1, kMasks),
                 [=] { return std::make_unique<measuring::MaskTrial>(ring, kMasks); });
}

void register_all() {
  register_ring("rns4");
  register_ring("m31");
  register_trial("encode/flint/n28k8", bytes(28, kColumns),
                 [] { return std::make_unique<peers::FlintProduct>(28, 8, kColumns); });
  register_trial("decode/flint/k7r15", bytes(7, kOpened),
                 [] { return std::make_unique<peers::FlintProduct>(7, 15, kOpened); });
  const auto stored = static_cast<std::size_t>(bytes(28, kColumns));
  register_trial("store/nt", bytes(28, kColumns),
                 [=] { return std::make_unique<measuring::StoreTrial>(stored); });
}

}  // namespace
}  // namespace fedvs::bench

int main(int argc, char** argv) {
  fedvs::ThreadPool::set_default_threads(1);
  fedvs::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
