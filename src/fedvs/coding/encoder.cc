#include "fedvs/coding/encoder.h"

namespace fedvs::coding {

using field::Coefficients;
using field::RingMatrix;

const Coefficients& matrix_of(const LagrangeCode& code, Polynomial polynomial) {
  switch (polynomial) {
    case Polynomial::kData:
      return code.data_matrix();
    case Polynomial::kModel:
      return code.model_matrix();
    case Polynomial::kMask:
      break;
  }
  return code.mask_matrix();
}

int random_count(const LagrangeCode& code, Polynomial polynomial) {
  return polynomial == Polynomial::kMask ? code.mask_matrix().inputs() : code.shape().colluding;
}

std::vector<RingMatrix> random_terms(const LagrangeCode& code, Polynomial polynomial,
                                     std::size_t rows, std::size_t cols, Prng& random) {
  std::vector<RingMatrix> drawn;
  for (int i = 0; i < random_count(code, polynomial); ++i) {
    drawn.push_back(field::uniform(code.ring(), rows, cols, random));
  }
  return drawn;
}

void encode(const LagrangeCode& code, Polynomial polynomial, Terms terms, int recipient,
            RingMatrix& out, field::Place place) {
  field::combine_row(matrix_of(code, polynomial), recipient, terms, out, place.row, place.col,
                     place.add);
}

void encode(const LagrangeCode& code, Polynomial polynomial, Terms terms,
            std::span<const int> recipients, std::span<RingMatrix* const> outs) {
  field::combine_parts(matrix_of(code, polynomial).rows(recipients), terms, outs);
}

std::vector<RingMatrix> encode(const LagrangeCode& code, Polynomial polynomial, Terms terms) {
  return field::combine(matrix_of(code, polynomial), terms);
}

std::vector<RingMatrix> encode_hidden(const LagrangeCode& code, Polynomial polynomial,
                                      Terms secrets, std::size_t rows, std::size_t cols,
                                      Prng& random) {
  const auto drawn = random_terms(code, polynomial, rows, cols, random);
  std::vector<const RingMatrix*> terms(secrets.begin(), secrets.end());
  for (const RingMatrix& term : drawn) terms.push_back(&term);
  return encode(code, polynomial, terms);
}

}  // namespace fedvs::coding
