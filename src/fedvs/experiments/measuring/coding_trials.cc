#include "fedvs/experiments/measuring/coding_trials.h"

#include <emmintrin.h>

#include <numeric>

namespace fedvs::measuring {
namespace {

Prng fixed_random() { return Prng(Key256{7}); }

}  // namespace

Blocks::Blocks(const field::Ring& ring, int count, std::size_t columns) {
  Prng random = fixed_random();
  for (int i = 0; i < count; ++i) matrices.push_back(field::uniform(ring, 1, columns, random));
  for (const auto& matrix : matrices) pointers.push_back(&matrix);
}

EncodeTrial::EncodeTrial(const field::Ring& ring, coding::Shape shape, std::size_t columns)
    : code_(coding::LagrangeCode::create(ring, shape).value()),
      blocks_(ring, shape.blocks + shape.colluding, columns),
      shares_(ring, shape.parties, columns) {}

void EncodeTrial::run() {
  field::combine_into(code_.data_matrix(), blocks_.pointers, shares_.matrices);
}

double EncodeTrial::bytes() const {
  return static_cast<double>(shares_.matrices.size()) *
         static_cast<double>(shares_.matrices[0].wire_bytes());
}

namespace {

std::vector<int> first_parties(int count) {
  std::vector<int> parties(static_cast<std::size_t>(count));
  std::iota(parties.begin(), parties.end(), 0);
  return parties;
}

}  // namespace

DecodeTrial::DecodeTrial(const field::Ring& ring, coding::Shape shape, std::size_t columns)
    : code_(coding::LagrangeCode::create(ring, shape).value()),
      decode_(code_.decode_matrix(first_parties(shape.threshold()))),
      blocks_(ring, shape.threshold(), columns),
      sums_(ring, shape.blocks, columns) {}

void DecodeTrial::run() { field::combine_into(decode_, blocks_.pointers, sums_.matrices); }

MaskTrial::MaskTrial(const field::Ring& ring, std::size_t columns)
    : random_(fixed_random()), mask_(ring, 1, columns) {}

void MaskTrial::run() { field::fill_uniform(mask_, random_); }

double MaskTrial::bytes() const { return static_cast<double>(mask_.wire_bytes()); }

StoreTrial::StoreTrial(std::size_t bytes) : memory_(bytes / 64 * 64) {}

void StoreTrial::run() {
  const __m128i ones = _mm_set1_epi8(1);
  auto* out = reinterpret_cast<__m128i*>(memory_.data());
  for (std::size_t i = 0; i < memory_.size() / 16; ++i) _mm_stream_si128(out + i, ones);
  _mm_sfence();
}

}  // namespace fedvs::measuring
