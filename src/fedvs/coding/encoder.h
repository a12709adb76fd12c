// The one encoder: whatever a client shares is a polynomial with known and random terms, and what
// party m gets is its value at alpha_m: row m of a matrix of the code times the terms.
//   kData   F: terms X_1 .. X_K, Z_1 .. Z_T           Eq. (2)   the last T uniform
//   kModel  G: terms W, r_0 .. r_{T-1}                Eq. (4)   the last T uniform
//   kMask   O: terms r_0 .. r_{K+2T-2}                          all uniform; or by seeds
// The client, the simulator's shared computing and the privacy enumerations all encode with these.
#pragma once
#include <span>
#include <vector>

#include "fedvs/coding/lagrange.h"

namespace fedvs::coding {

enum class Polynomial { kData, kModel, kMask };

// N x terms.
const field::Coefficients& matrix_of(const LagrangeCode& code, Polynomial polynomial);
// How many of the terms, the last ones, are uniform.
int random_count(const LagrangeCode& code, Polynomial polynomial);
// These, drawn one after the other.
std::vector<field::RingMatrix> random_terms(const LagrangeCode& code, Polynomial polynomial,
                                            std::size_t rows, std::size_t cols, Prng& random);

// All terms in order, of one shape. They may be laid out in any way (in panels, many senders side
// by side): shares then are, too.
using Terms = std::span<const field::RingMatrix* const>;
// One recipient's, into a part of `out` or added to it. As many multiply-adds per element as terms.
void encode(const LagrangeCode& code, Polynomial polynomial, Terms terms, int recipient,
            field::RingMatrix& out, field::Place place = {});
// Several recipients', in one pass over the terms: outs[i] is that of recipients[i].
void encode(const LagrangeCode& code, Polynomial polynomial, Terms terms,
            std::span<const int> recipients, std::span<field::RingMatrix* const> outs);
// Everybody's.
std::vector<field::RingMatrix> encode(const LagrangeCode& code, Polynomial polynomial, Terms terms);
// Everybody's, of rows x cols secrets (X_1 .. X_K; W; none) and random terms drawn here and wiped.
std::vector<field::RingMatrix> encode_hidden(const LagrangeCode& code, Polynomial polynomial,
                                             Terms secrets, std::size_t rows, std::size_t cols,
                                             Prng& random);

}  // namespace fedvs::coding
