#include "fedvs/field/combine.h"

#include "fedvs/base/thread_pool.h"
#include "fedvs/field/combine_planes.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kGrain = 16384;  // words: below this a second thread costs more than it gives

template <class Word>
std::vector<const Word*> sources(std::span<const RingMatrix* const> blocks, int plane,
                                 std::size_t first) {
  std::vector<const Word*> pointers;
  for (const RingMatrix* block : blocks) pointers.push_back(block->row<Word>(plane, 0) + first);
  return pointers;
}

template <class Word>
std::vector<Word*> targets(std::span<RingMatrix> blocks, int plane, std::size_t first) {
  std::vector<Word*> pointers;
  for (RingMatrix& block : blocks) pointers.push_back(block.row<Word>(plane, 0) + first);
  return pointers;
}

std::vector<Residue> plane_of(const Coefficients& coefficients, int plane) {
  std::vector<Residue> values;
  for (int o = 0; o < coefficients.outputs(); ++o) {
    for (int i = 0; i < coefficients.inputs(); ++i) values.push_back(coefficients.at(plane, o, i));
  }
  return values;
}

// Rows of a plane lie one after the other, and their zero padding stays zero: one long array.
void combine_plane(const Coefficients& coefficients, int plane,
                   std::span<const RingMatrix* const> blocks, std::span<RingMatrix> out) {
  const std::vector<Residue> values = plane_of(coefficients, plane);
  const Ring& ring = coefficients.ring();
  const auto stretch = [&](std::size_t begin, std::size_t end) {
    if (ring.word_bytes() == 1) {
      combine_bytes(values, ring.prime(plane), sources<std::uint8_t>(blocks, plane, begin),
                    targets<std::uint8_t>(out, plane, begin), end - begin);
    } else {
      combine_m31(values, sources<std::uint32_t>(blocks, plane, begin),
                  targets<std::uint32_t>(out, plane, begin), end - begin);
    }
  };
  ThreadPool::global().parallel_for(out[0].rows() * out[0].stride(), kGrain, stretch);
}

}  // namespace

Coefficients::Coefficients(const Ring& ring, int outputs, int inputs)
    : ring_(ring), outputs_(outputs), inputs_(inputs) {
  FEDVS_CHECK(outputs >= 0 && inputs >= 0, "sizes are not negative");
  values_.resize(static_cast<std::size_t>(ring.planes()) * static_cast<std::size_t>(outputs) *
                 static_cast<std::size_t>(inputs));
}

std::size_t Coefficients::index(int plane, int output, int input) const {
  return (static_cast<std::size_t>(plane) * static_cast<std::size_t>(outputs_) +
          static_cast<std::size_t>(output)) *
             static_cast<std::size_t>(inputs_) +
         static_cast<std::size_t>(input);
}

Residue& Coefficients::at(int plane, int output, int input) {
  return values_[index(plane, output, input)];
}

Residue Coefficients::at(int plane, int output, int input) const {
  return values_[index(plane, output, input)];
}

Coefficients Coefficients::row(int output) const {
  Coefficients one(ring_, 1, inputs_);
  for (int plane = 0; plane < ring_.planes(); ++plane) {
    for (int i = 0; i < inputs_; ++i) one.at(plane, 0, i) = at(plane, output, i);
  }
  return one;
}

std::vector<RingMatrix> combine(const Coefficients& coefficients,
                                std::span<const RingMatrix* const> blocks) {
  FEDVS_CHECK(!blocks.empty() && static_cast<int>(blocks.size()) == coefficients.inputs(),
              "one block per column of coefficients");
  const std::size_t rows = blocks[0]->rows(), cols = blocks[0]->cols();
  for (const RingMatrix* block : blocks) {
    FEDVS_CHECK(block->rows() == rows && block->cols() == cols, "blocks of one shape");
    FEDVS_CHECK(block->empty() || block->ring() == coefficients.ring(), "blocks of one ring");
  }
  std::vector<RingMatrix> out;
  for (int o = 0; o < coefficients.outputs(); ++o)
    out.emplace_back(coefficients.ring(), rows, cols);
  if (out.empty() || out[0].empty()) return out;
  for (int plane = 0; plane < coefficients.ring().planes(); ++plane) {
    combine_plane(coefficients, plane, blocks, out);
  }
  return out;
}

}  // namespace fedvs::field
