// Every kernel of combine() that this machine has against the portable one, on raw pointers.
#include "fedvs/field/combine_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "fedvs/field/kernel.h"
#include "fedvs/field/ring.h"
#include "fedvs/field/wide.h"
#include "tests/support/rings.h"

namespace fedvs::field {
namespace {

using fedvs::testing::seeded;

constexpr std::uint32_t kPrimes[] = {131, 211, 223, 227, 229, 233, 239, 241, 251};

struct Sizes {
  std::size_t rows, cols, inputs, outputs;
  bool add;
};

// Inputs and outputs at odd addresses, with bytes around them that must not change.
template <class Job, class Word>
class Case {
 public:
  Case(const Sizes& sizes, std::uint32_t prime, bool extreme, Prng& random)
      : prime_(prime), stride_(sizes.cols + 5), words_(stride_ * sizes.rows + 3) {
    job = std::make_unique<Job>();
    job->rows = sizes.rows;
    job->cols = sizes.cols;
    job->inputs = sizes.inputs;
    job->outputs = sizes.outputs;
    job->input_stride = job->output_stride = stride_;
    job->add = sizes.add;
    job->stream = false;
    in_.resize(sizes.inputs);
    for (auto& block : in_) block = draw(extreme, random);
    for (std::size_t o = 0; o < sizes.outputs; ++o) start_.push_back(draw(false, random));
  }

  std::vector<std::vector<Word>> run(void (*kernel)(const Job&)) {
    auto out = start_;
    for (std::size_t i = 0; i < in_.size(); ++i) job->input[i] = in_[i].data() + 1;
    for (std::size_t o = 0; o < out.size(); ++o) job->output[o] = out[o].data() + 1;
    kernel(*job);
    return out;
  }

  // What the definition says, element by element.
  std::vector<std::vector<Word>> expected(const std::vector<std::vector<Residue>>& factors) const {
    auto out = start_;
    for (std::size_t o = 0; o < out.size(); ++o) {
      for (std::size_t e = 0; e < job->rows * stride_; ++e) {
        if (e % stride_ >= job->cols) continue;
        Residue sum = job->add ? out[o][e + 1] : 0;
        for (std::size_t i = 0; i < in_.size(); ++i) {
          sum = field::add(sum, multiply(factors[o][i], in_[i][e + 1], prime_), prime_);
        }
        out[o][e + 1] = static_cast<Word>(sum);
      }
    }
    return out;
  }

  std::unique_ptr<Job> job;

 private:
  std::vector<Word> draw(bool extreme, Prng& random) const {
    std::vector<Word> values(words_, static_cast<Word>(prime_ - 1));
    if (!extreme) {
      for (Word& value : values) value = static_cast<Word>(random.next_u64() % prime_);
    }
    return values;
  }

  std::uint32_t prime_;
  std::size_t stride_, words_;
  std::vector<std::vector<Word>> in_, start_;
};

std::vector<std::vector<Residue>> draw_factors(const Sizes& sizes, std::uint32_t prime,
                                               bool extreme, Prng& random) {
  std::vector<std::vector<Residue>> factors(sizes.outputs);
  for (std::size_t o = 0; o < sizes.outputs; ++o) {
    // The largest, and those that are the largest and the smallest when balanced.
    const Residue extremes[] = {prime - 1, prime / 2, prime / 2 + 1};
    for (std::size_t i = 0; i < sizes.inputs; ++i) {
      factors[o].push_back(extreme ? extremes[o % 3]
                                   : static_cast<Residue>(random.next_u64() % prime));
    }
  }
  return factors;
}

struct ByteKernel {
  Kernel needs;
  void (*run)(const ByteCombination&);
};
struct WordKernel {
  Kernel needs;
  void (*run)(const WordCombination&);
};

template <class Any>
std::vector<Any> present(std::vector<Any> kernels) {
  const auto available = available_kernels();
  std::erase_if(kernels, [&](const Any& kernel) {
    return std::find(available.begin(), available.end(), kernel.needs) == available.end();
  });
  return kernels;
}

bool has_vbmi() { return __builtin_cpu_supports("avx512vbmi") != 0; }

const auto kByteKernels =
    present<ByteKernel>({{Kernel::kPortable, &combine_bytes_portable},
                         {Kernel::kAvx2, &combine_bytes_avx2},
                         {Kernel::kVnni, &combine_bytes_vnni},
                         {has_vbmi() ? Kernel::kVnni : Kernel::kPortable,
                          has_vbmi() ? &combine_bytes_quads_vbmi : &combine_bytes_portable}});
const auto kWordKernels = present<WordKernel>({{Kernel::kPortable, &combine_m31_portable},
                                               {Kernel::kAvx2, &combine_m31_avx2},
                                               {Kernel::kVnni, &combine_m31_avx512}});

void set(ByteCombination& job, const std::vector<std::vector<Residue>>& factors,
         std::uint32_t prime) {
  job.prime = byte_prime(prime);
  for (std::size_t o = 0; o < factors.size(); ++o) set_factors(job, o, factors[o].data());
}

void set(WordCombination& job, const std::vector<std::vector<Residue>>& factors, std::uint32_t) {
  for (std::size_t o = 0; o < factors.size(); ++o) set_factors(job, o, factors[o].data());
}

template <class Job, class Word, class Kernels>
void expect_all_alike(const Sizes& sizes, std::uint32_t prime, bool extreme, const Kernels& kernels,
                      Prng& random) {
  Case<Job, Word> test(sizes, prime, extreme, random);
  const auto factors = draw_factors(sizes, prime, extreme, random);
  set(*test.job, factors, prime);
  const auto expected = test.expected(factors);
  for (const auto& kernel : kernels) {
    ASSERT_EQ(test.run(kernel.run), expected)
        << name(kernel.needs) << " mod " << prime << ": " << sizes.rows << "x" << sizes.cols << ", "
        << sizes.inputs << " -> " << sizes.outputs << (sizes.add ? ", added" : "");
  }
}

TEST(CombineKernels, AgreeWithTheDefinitionOnEveryWidthUpTo300) {
  Prng random = seeded(1);
  for (std::size_t cols = 0; cols <= 300; ++cols) {
    const Sizes sizes{1 + cols % 3, cols, 1 + cols % 16, 1 + cols % 5, cols % 2 == 1};
    const std::uint32_t prime = kPrimes[cols % std::size(kPrimes)];
    expect_all_alike<ByteCombination, std::uint8_t>(sizes, prime, false, kByteKernels, random);
    expect_all_alike<WordCombination, std::uint32_t>(sizes, kMersenne31, false, kWordKernels,
                                                     random);
  }
}

TEST(CombineKernels, AgreeWithTheDefinitionForEveryNumberOfInputsAndOutputs) {
  Prng random = seeded(2);
  for (std::size_t inputs = 1; inputs <= kTermsAtOnce; ++inputs) {
    for (std::size_t outputs = 1; outputs <= 30; ++outputs) {
      const Sizes sizes{1, 67, inputs, outputs, (inputs + outputs) % 2 == 0};
      const std::uint32_t prime = kPrimes[outputs % std::size(kPrimes)];
      expect_all_alike<ByteCombination, std::uint8_t>(sizes, prime, false, kByteKernels, random);
      expect_all_alike<WordCombination, std::uint32_t>(sizes, kMersenne31, false, kWordKernels,
                                                       random);
    }
  }
}

TEST(CombineKernels, AreExactNextToThePrime) {
  Prng random = seeded(3);
  for (std::size_t inputs = 1; inputs <= kTermsAtOnce; ++inputs) {
    for (const bool add : {false, true}) {
      for (std::uint32_t prime : kPrimes) {
        expect_all_alike<ByteCombination, std::uint8_t>({2, 70, inputs, 3, add}, prime, true,
                                                        kByteKernels, random);
      }
      expect_all_alike<WordCombination, std::uint32_t>({2, 70, inputs, 3, add}, kMersenne31, true,
                                                       kWordKernels, random);
    }
  }
}

TEST(CombineKernels, LookUpAgreesWithTheDefinitionForEveryFactorAndWidth) {
  if (!has_vbmi()) GTEST_SKIP() << "no AVX-512 VBMI on this machine";
  Prng random = seeded(4);
  for (std::uint32_t prime : kPrimes) {
    for (Residue factor = 0; factor < prime; ++factor) {
      const Sizes sizes{2, factor, 2, 1, false};
      Case<ByteCombination, std::uint8_t> test(sizes, prime, false, random);
      const std::vector<std::vector<Residue>> factors{{1, factor}};
      set(*test.job, factors, prime);
      ASSERT_TRUE(is_one_plus_product(*test.job));
      ASSERT_EQ(test.run(&combine_bytes_vbmi), test.expected(factors)) << factor << " " << prime;
    }
  }
}

TEST(CombineKernels, LookUpIsOnlyForAFirstFactorOfOneAndNothingToAddTo) {
  Prng random = seeded(5);
  for (const Sizes& sizes : {Sizes{1, 9, 2, 1, true}, Sizes{1, 9, 3, 1, false}}) {
    Case<ByteCombination, std::uint8_t> test(sizes, 251, false, random);
    set(*test.job, {std::vector<Residue>(sizes.inputs, 1)}, 251);
    EXPECT_FALSE(is_one_plus_product(*test.job));
  }
  Case<ByteCombination, std::uint8_t> test({1, 9, 2, 2, false}, 251, false, random);
  set(*test.job, {{1, 7}, {2, 7}}, 251);
  EXPECT_FALSE(is_one_plus_product(*test.job));
}

TEST(CombineKernels, ReduceEverySumRight) {
  // Given x and 1 as inputs: a x + b for every a, x and a b that runs through all residues.
  for (std::uint32_t prime : kPrimes) {
    std::vector<std::uint8_t> x(prime), one(prime, 1), out(prime);
    for (std::uint32_t v = 0; v < prime; ++v) x[v] = static_cast<std::uint8_t>(v);
    for (const ByteKernel& kernel : kByteKernels) {
      for (Residue a = 0; a < prime; ++a) {
        ByteCombination job;
        job.rows = job.outputs = 1;
        job.cols = job.input_stride = job.output_stride = prime;
        job.inputs = 2;
        job.add = job.stream = false;
        job.input[0] = x.data();
        job.input[1] = one.data();
        job.output[0] = out.data();
        const Residue b = multiply(a, 97, prime);
        set(job, {{a, b}}, prime);
        kernel.run(job);
        for (std::uint32_t v = 0; v < prime; ++v) ASSERT_EQ(out[v], (a * v + b) % prime);
      }
    }
  }
}

}  // namespace
}  // namespace fedvs::field
