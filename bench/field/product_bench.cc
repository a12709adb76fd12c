// The coded product of Eq. (5) on every kernel of this machine, beside FLINT over 2^31 - 1,
// FFLAS-FFPACK on the same four byte planes, and the peak of the kernel's instruction. One thread,
// random data.
#include <fmt/format.h>

#include "bench/micro.h"
#include "bench/peers/fflas_product.h"
#include "bench/peers/flint_product.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/experiments/measuring/probe.h"
#include "fedvs/experiments/measuring/product_trial.h"
#include "fedvs/run/machine.h"

namespace fedvs::bench {
namespace {

using field::Kernel;

struct Size {
  std::size_t rows, depth, width;
  std::string text() const { return fmt::format("{}x{}x{}", rows, depth, width); }
  double macs() const { return static_cast<double>(rows * depth * width); }
};
constexpr Size kSizes[] = {{64, 784, 64}, {256, 784, 64}, {256, 1568, 64}, {512, 7532, 128}};

class OnKernel {
 public:
  OnKernel(Kernel kernel, const char* ring, const Size& s)
      : kernel_(kernel), trial_(field::Ring::create(ring).value(), s.rows, s.depth, s.width) {}
  void run() { trial_.run(); }

 private:
  field::KernelForTests kernel_;
  measuring::ProductTrial trial_;
};

class ProbeTrial {
 public:
  static constexpr long kSteps = 100'000;
  explicit ProbeTrial(const measuring::Probe& probe) : probe_(probe) {}
  void run() { probe_.run(kSteps); }

 private:
  measuring::Probe probe_;
};

void register_ring(const char* ring, Kernel kernel, const std::optional<measuring::Probe>& probe) {
  const auto where = fmt::format("{}/{}", ring, field::name(kernel));
  for (const Size& size : kSizes) {
    register_trial(fmt::format("product/{}/{}", where, size.text()), size.macs(),
                   [=] { return std::make_unique<OnKernel>(kernel, ring, size); });
  }
  if (!probe) return;
  register_trial(fmt::format("probe/{}", where), probe->macs_per_step * ProbeTrial::kSteps,
                 [=] { return std::make_unique<ProbeTrial>(*probe); });
}

void register_peers() {
  for (const Size& s : kSizes) {
    register_trial("product/flint/" + s.text(), s.macs(),
                   [=] { return std::make_unique<peers::FlintProduct>(s.rows, s.depth, s.width); });
    register_trial("product/fflas/" + s.text(), s.macs(),
                   [=] { return std::make_unique<peers::FflasProduct>(s.rows, s.depth, s.width); });
  }
}

void register_all() {
  std::string kernels;
  for (const Kernel kernel : field::available_kernels()) {
    register_ring("rns4", kernel, measuring::rns4_probe(kernel));
    register_ring("m31", kernel, measuring::m31_probe(kernel));
    kernels += fmt::format("{}{}", kernels.empty() ? "" : " ", field::name(kernel));
  }
  register_peers();
  benchmark::AddCustomContext("kernels", kernels);
  benchmark::AddCustomContext("active_kernel", std::string(field::name(field::active_kernel())));
  benchmark::AddCustomContext("cpu", run::cpu_model());
}

}  // namespace
}  // namespace fedvs::bench

int main(int argc, char** argv) {
  fedvs::ThreadPool::set_default_threads(1);
  fedvs::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
