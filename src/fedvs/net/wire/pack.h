// Matrices and floats as bytes: residues plane after plane, row by row, without the padding that
// rows have in memory.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/field/ring_matrix.h"
#include "fedvs/net/wire/limits.h"

namespace fedvs::wire {

void append_residues(std::string& out, const field::RingMatrix& matrix);  // its wire_bytes()
void append_floats(std::string& out, std::span<const float> values);

// kRefused unless `extent` is within `most`, `bytes` are as many as it needs and every residue is
// below its plane's prime: another would be a second name of the same element. Memory is taken
// after the sizes are found right.
Result<field::RingMatrix> unpack_matrix(const field::Ring& ring, Extent extent, Extent most,
                                        std::string_view bytes);
// kRefused unless there are at most `most` of them. Values may be anything that floats are.
Result<std::vector<float>> unpack_floats(std::string_view bytes, std::size_t most);

}  // namespace fedvs::wire
