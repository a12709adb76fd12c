#include "fedvs/field/combine_run.h"

#include <algorithm>

#include "fedvs/base/thread_pool.h"
#include "fedvs/field/combine_kernels.h"
#include "fedvs/field/kernel.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kLine = 64;            // bytes
constexpr std::size_t kGrain = 256 * kLine;  // below this a second thread costs more than it gives
constexpr std::size_t kStretch = 512;        // lines per job: passes over it stay in the caches
constexpr std::size_t kStreamBytes = std::size_t{16} << 20;  // outputs that no cache would keep

bool has_vbmi() {
  static const bool kHas = __builtin_cpu_supports("avx512vbmi") != 0;
  return kHas;
}

// What look-ups need first has to pay: a table takes 4 lines' time, scaled factors some 30; inputs
// are arranged once for all outputs, and more than 12 would no longer fit the registers.
void run_vbmi(const ByteCombination& job) {
  constexpr std::size_t kWorthATable = 512, kWorthScaling = 128 * kLine;  // elements
  constexpr std::size_t kFewInputs = 12, kManyOutputs = 8;
  const std::size_t elements = job.rows * job.cols;
  if (elements >= kWorthATable && is_one_plus_product(job)) return combine_bytes_vbmi(job);
  const bool worth_scaling = job.inputs <= kFewInputs && job.outputs >= kManyOutputs &&
                             elements * job.outputs >= kWorthScaling;
  worth_scaling && !is_small_pair(job) ? combine_bytes_quads_vbmi(job) : combine_bytes_vnni(job);
}

void run_kernel(const ByteCombination& job) {
  constexpr std::uint32_t kVectorPrimes = 128;
  const Kernel kernel = job.prime.prime > kVectorPrimes ? active_kernel() : Kernel::kPortable;
  if (kernel >= Kernel::kVnni) return has_vbmi() ? run_vbmi(job) : combine_bytes_vnni(job);
  if (kernel == Kernel::kAvx2) return combine_bytes_avx2(job);
  combine_bytes_portable(job);
}

void run_kernel(const WordCombination& job) {
  const Kernel kernel = active_kernel();
  if (kernel >= Kernel::kVnni) return combine_m31_avx512(job);
  if (kernel == Kernel::kAvx2) return combine_m31_avx2(job);
  combine_m31_portable(job);
}

void set_prime(ByteCombination& job, std::uint32_t prime) { job.prime = byte_prime(prime); }
void set_prime(WordCombination&, std::uint32_t) {}

class Run {
 public:
  Run(const Coefficients& coefficients, int first_output, std::span<const RingMatrix* const> blocks,
      const Targets& targets, Place place)
      : coefficients_(coefficients),
        first_output_(first_output),
        blocks_(blocks),
        targets_(targets),
        place_(place),
        rows_(std::min(blocks[0]->rows(), targets[0].rows() - place.row)),
        cols_(blocks[0]->cols()),
        word_(static_cast<std::size_t>(coefficients.ring().word_bytes())) {
    // Rows of a plane lie one after the other, and their padding is zero: where all of the outputs
    // is written, a plane is one long row of whole lines.
    flat_ = place.col == 0;
    for (std::size_t o = 0; o < targets.size(); ++o) {
      const RingMatrix& out = targets[o];
      FEDVS_CHECK(out.ring() == blocks[0]->ring(), "outputs of one ring");
      FEDVS_CHECK(place.row + rows_ <= out.rows() && place.col + cols_ <= out.cols(),
                  "the result must fit");
      FEDVS_CHECK(out.stride() == targets[0].stride(), "outputs of one stride");
      flat_ = flat_ && out.cols() == cols_;
    }
    row_bytes_ = blocks[0]->stride() * word_;
    units_ = flat_ ? rows_ * row_bytes_ / kLine : rows_;
    const std::size_t bytes = bytes_per_unit() * units_ * planes() * targets.size();
    stream_ = flat_ && !place.add && blocks.size() <= kTermsAtOnce && bytes >= kStreamBytes;
  }

  void all() {
    const std::size_t count = units_ * planes(), grain = 1 + kGrain / bytes_per_unit();
    if (count <= grain) return part(0, count);
    ThreadPool::global().parallel_for(
        count, grain, [this](std::size_t begin, std::size_t end) { part(begin, end); });
  }

 private:
  std::size_t planes() const { return static_cast<std::size_t>(coefficients_.ring().planes()); }
  std::size_t bytes_per_unit() const { return flat_ ? kLine : row_bytes_; }

  // Units begin .. end, counted through all planes.
  void part(std::size_t begin, std::size_t end) const {
    std::size_t plane = begin == 0 ? 0 : begin / units_;
    for (std::size_t first = begin - plane * units_; begin < end;) {
      const std::size_t count = std::min({end - begin, units_ - first, kStretch});
      if (word_ == 1) {
        stretch<ByteCombination, std::uint8_t>(static_cast<int>(plane), first, count);
      } else {
        stretch<WordCombination, std::uint32_t>(static_cast<int>(plane), first, count);
      }
      begin += count;
      first += count;
      if (first == units_) {
        first = 0;
        ++plane;
      }
    }
  }

  template <class Job, class Word>
  void stretch(int plane, std::size_t first, std::size_t count) const {
    Job job;
    set_prime(job, coefficients_.ring().prime(plane));
    job.rows = flat_ ? 1 : count;
    job.cols = flat_ ? count * kLine / word_ : cols_;
    job.input_stride = blocks_[0]->stride();
    job.output_stride = targets_[0].stride();
    job.stream = stream_;
    for (std::size_t o = 0; o < targets_.size(); o += kOutputsAtOnce) {
      for (std::size_t i = 0; i < blocks_.size(); i += kTermsAtOnce) {
        job.add = place_.add || i > 0;
        take_inputs<Job, Word>(job, plane, i, first);
        take_outputs<Job, Word>(job, plane, o, i, first);
        run_kernel(job);
      }
    }
  }

  template <class Job, class Word>
  void take_inputs(Job& job, int plane, std::size_t from, std::size_t first) const {
    job.inputs = std::min(kTermsAtOnce, blocks_.size() - from);
    for (std::size_t i = 0; i < job.inputs; ++i) {
      job.input[i] =
          start(blocks_[from + i]->template row<Word>(plane, 0), first, job.input_stride);
    }
  }

  template <class Job, class Word>
  void take_outputs(Job& job, int plane, std::size_t from, std::size_t from_term,
                    std::size_t first) const {
    job.outputs = std::min(kOutputsAtOnce, targets_.size() - from);
    for (std::size_t o = 0; o < job.outputs; ++o) {
      Word* corner = targets_[from + o].template row<Word>(plane, place_.row) + place_.col;
      job.output[o] = start(corner, first, job.output_stride);
      set_factors(
          job, o,
          &coefficients_.terms(plane, first_output_ + static_cast<int>(from + o))[from_term]);
    }
  }

  template <class Word>
  Word* start(Word* corner, std::size_t unit, std::size_t stride) const {
    return corner + (flat_ ? unit * kLine / word_ : unit * stride);
  }

  const Coefficients& coefficients_;
  int first_output_;
  std::span<const RingMatrix* const> blocks_;
  const Targets& targets_;
  Place place_;
  std::size_t rows_, cols_, word_, row_bytes_, units_;
  bool flat_, stream_;
};

}  // namespace

void run_combination(const Coefficients& coefficients, int first_output,
                     std::span<const RingMatrix* const> blocks, const Targets& targets,
                     Place place) {
  if (targets.size() == 0 || blocks[0]->empty()) return;
  Run(coefficients, first_output, blocks, targets, place).all();
}

}  // namespace fedvs::field
