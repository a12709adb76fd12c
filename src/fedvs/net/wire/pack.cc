#include "fedvs/net/wire/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "fedvs/base/bytes.h"  // asserts that bytes in memory are little endian

namespace fedvs::wire {
namespace {

Error refused(std::string what) { return {ErrorCode::kRefused, std::move(what)}; }

Status check_extent(const field::Ring& ring, Extent extent, Extent most, std::size_t bytes) {
  if (extent.rows > most.rows || extent.cols > most.cols) {
    return refused(fmt::format("{} x {} values where {} x {} are the most", extent.rows,
                               extent.cols, most.rows, most.cols));
  }
  const std::size_t needed =
      extent.rows * extent.cols * static_cast<std::size_t>(ring.bytes_per_element());
  if (bytes == needed) return {};
  return refused(fmt::format("{} bytes for {} x {} values of {}, which take {}", bytes, extent.rows,
                             extent.cols, ring.name(), needed));
}

// Nothing is said about where or what: it may be part of a secret.
template <class Word>
bool all_below(const Word* words, std::size_t count, std::uint32_t prime) {
  Word largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, words[i]);
  return largest < prime;
}

bool row_is_reduced(const field::RingMatrix& matrix, int plane, std::size_t row) {
  const std::uint32_t prime = matrix.ring().prime(plane);
  return matrix.ring().word_bytes() == 1
             ? all_below(matrix.row<std::uint8_t>(plane, row), matrix.cols(), prime)
             : all_below(matrix.row<std::uint32_t>(plane, row), matrix.cols(), prime);
}

}  // namespace

void append_residues(std::string& out, const field::RingMatrix& matrix) {
  if (matrix.empty()) return;
  const auto row_size = matrix.cols() * static_cast<std::size_t>(matrix.ring().word_bytes());
  for (int plane = 0; plane < matrix.ring().planes(); ++plane) {
    for (std::size_t r = 0; r < matrix.rows(); ++r) {
      out.append(reinterpret_cast<const char*>(matrix.row_bytes(plane, r)), row_size);
    }
  }
}

void append_floats(std::string& out, std::span<const float> values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

Result<field::RingMatrix> unpack_matrix(const field::Ring& ring, Extent extent, Extent most,
                                        std::string_view bytes) {
  FEDVS_TRY_STATUS(check_extent(ring, extent, most, bytes.size()));
  auto matrix = field::RingMatrix::unset(ring, extent.rows, extent.cols);
  if (matrix.empty()) return matrix;
  const auto row_size = matrix.cols() * static_cast<std::size_t>(ring.word_bytes());
  const char* from = bytes.data();
  for (int plane = 0; plane < ring.planes(); ++plane) {
    for (std::size_t r = 0; r < matrix.rows(); ++r, from += row_size) {
      std::memcpy(matrix.row_bytes(plane, r), from, row_size);
      if (row_is_reduced(matrix, plane, r)) continue;
      return refused(fmt::format("a residue of row {} is not below the prime {} of its plane", r,
                                 ring.prime(plane)));
    }
  }
  return matrix;
}

Result<std::vector<float>> unpack_floats(std::string_view bytes, std::size_t most) {
  if (bytes.size() % sizeof(float) != 0 || bytes.size() / sizeof(float) > most) {
    return refused(fmt::format("{} bytes of floats where {} floats of {} bytes are the most",
                               bytes.size(), most, sizeof(float)));
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace fedvs::wire
