#include "fedvs/field/combine.h"

#include <algorithm>

#include "fedvs/field/combine_run.h"

namespace fedvs::field {

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

std::span<const Residue> Coefficients::terms(int plane, int output) const {
  return {values_.data() + index(plane, output, 0), static_cast<std::size_t>(inputs_)};
}

Coefficients Coefficients::row(int output) const { return rows({&output, 1}); }

Coefficients Coefficients::rows(std::span<const int> outputs) const {
  Coefficients some(ring_, static_cast<int>(outputs.size()), inputs_);
  for (int plane = 0; plane < ring_.planes(); ++plane) {
    for (int o = 0; o < some.outputs(); ++o) {
      const auto from = terms(plane, outputs[static_cast<std::size_t>(o)]);
      std::ranges::copy(from, &some.at(plane, o, 0));
    }
  }
  return some;
}

namespace {

void check_blocks(const Coefficients& coefficients, std::span<const RingMatrix* const> blocks) {
  FEDVS_CHECK(!blocks.empty() && static_cast<int>(blocks.size()) == coefficients.inputs(),
              "one block per column of coefficients");
  FEDVS_CHECK(blocks[0]->empty() || blocks[0]->ring() == coefficients.ring(), "one ring");
  for (const RingMatrix* block : blocks) {
    FEDVS_CHECK(block->rows() == blocks[0]->rows() && block->cols() == blocks[0]->cols(),
                "blocks of one shape");
    FEDVS_CHECK(block->empty() || block->ring() == blocks[0]->ring(), "blocks of one ring");
  }
}

}  // namespace

std::vector<RingMatrix> combine(const Coefficients& coefficients,
                                std::span<const RingMatrix* const> blocks) {
  check_blocks(coefficients, blocks);
  std::vector<RingMatrix> out;
  out.reserve(static_cast<std::size_t>(coefficients.outputs()));
  for (int o = 0; o < coefficients.outputs(); ++o) {
    out.push_back(RingMatrix::unset(coefficients.ring(), blocks[0]->rows(), blocks[0]->cols()));
  }
  combine_into(coefficients, blocks, out);
  return out;
}

void combine_into(const Coefficients& coefficients, std::span<const RingMatrix* const> blocks,
                  std::span<RingMatrix> outs) {
  check_blocks(coefficients, blocks);
  FEDVS_CHECK(static_cast<int>(outs.size()) == coefficients.outputs(), "one matrix per output");
  run_combination(coefficients, 0, blocks, Targets(outs), {});
}

void combine_parts(const Coefficients& coefficients, std::span<const RingMatrix* const> blocks,
                   std::span<RingMatrix* const> outs, Place place) {
  check_blocks(coefficients, blocks);
  FEDVS_CHECK(static_cast<int>(outs.size()) == coefficients.outputs(), "one matrix per output");
  run_combination(coefficients, 0, blocks, Targets(outs), place);
}

void combine_row(const Coefficients& coefficients, int output,
                 std::span<const RingMatrix* const> blocks, RingMatrix& out, std::size_t first_row,
                 std::size_t first_col, bool add) {
  check_blocks(coefficients, blocks);
  FEDVS_CHECK(output >= 0 && output < coefficients.outputs(), "one of the outputs");
  run_combination(coefficients, output, blocks, Targets(std::span(&out, 1)),
                  {first_row, first_col, add});
}

}  // namespace fedvs::field
