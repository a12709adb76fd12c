#include "fedvs/field/ring_matrix.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "fedvs/base/wipe.h"
#include "fedvs/field/reduce.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMaxPlanes = 16;

std::size_t padded_words(std::size_t cols, std::size_t word_bytes) {
  return (cols * word_bytes + kAlignment - 1) / kAlignment * kAlignment / word_bytes;
}

// a + b mod p without leaving the word: a, b < p, also where 2p does not fit.
template <class Word>
void add_words(Word* into, const Word* term, std::size_t count, Word prime) {
  for (std::size_t i = 0; i < count; ++i) {
    const Word room = static_cast<Word>(prime - term[i]);
    const Word wrapped = static_cast<Word>(into[i] - room);
    const Word sum = static_cast<Word>(into[i] + term[i]);
    into[i] = into[i] >= room ? wrapped : sum;
  }
}

// Matrices of one ring share one copy of it: they are made by the thousand per round.
std::shared_ptr<const Ring> shared_ring(const Ring& ring) {
  thread_local std::shared_ptr<const Ring> last;
  if (!last || !(*last == ring)) last = std::make_shared<const Ring>(ring);
  return last;
}

}  // namespace

void RingMatrix::Free::operator()(std::uint8_t* bytes) const {
  fedvs::wipe(std::span(bytes, size));
  std::free(bytes);
}

RingMatrix::RingMatrix(const Ring& ring, std::size_t rows, std::size_t cols)
    : ring_(shared_ring(ring)),
      rows_(rows),
      cols_(cols),
      stride_(padded_words(cols, static_cast<std::size_t>(ring.word_bytes()))) {
  if (empty()) return;
  bytes_ = {static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, size_bytes())),
            Free{size_bytes()}};
  FEDVS_CHECK(bytes_ != nullptr, "out of memory");
  std::memset(bytes_.get(), 0, size_bytes());
}

RingMatrix RingMatrix::clone() const {
  if (!ring_) return {};
  RingMatrix copy(*ring_, rows_, cols_);
  if (!empty()) std::memcpy(copy.bytes_.get(), bytes_.get(), size_bytes());
  return copy;
}

Residue RingMatrix::get(int plane, std::size_t r, std::size_t c) const {
  return ring_->word_bytes() == 1 ? row<std::uint8_t>(plane, r)[c]
                                  : row<std::uint32_t>(plane, r)[c];
}

void RingMatrix::set(int plane, std::size_t r, std::size_t c, Residue value) {
  if (ring_->word_bytes() == 1) {
    row<std::uint8_t>(plane, r)[c] = static_cast<std::uint8_t>(value);
  } else {
    row<std::uint32_t>(plane, r)[c] = value;
  }
}

std::size_t RingMatrix::size_bytes() const {
  return empty() ? 0 : rows_ * stride_ * static_cast<std::size_t>(ring_->bytes_per_element());
}

std::size_t RingMatrix::wire_bytes() const {
  return empty() ? 0 : rows_ * cols_ * static_cast<std::size_t>(ring_->bytes_per_element());
}

RingMatrix RingMatrix::from_integers(const Ring& ring, std::size_t rows, std::size_t cols,
                                     std::span<const std::int32_t> integers) {
  FEDVS_CHECK(integers.size() == rows * cols, "as many integers as elements");
  RingMatrix matrix(ring, rows, cols);
  for (int plane = 0; plane < ring.planes(); ++plane) {
    for (std::size_t r = 0; r < rows; ++r) {
      const auto values = integers.subspan(r * cols, cols);
      if (ring.word_bytes() == 1) {
        reduce_integers(values, ring.prime(plane), matrix.row<std::uint8_t>(plane, r));
      } else {
        reduce_integers_m31(values, matrix.row<std::uint32_t>(plane, r));
      }
    }
  }
  return matrix;
}

std::vector<std::int64_t> RingMatrix::to_integers() const {
  std::vector<std::int64_t> integers;
  if (empty()) return integers;
  integers.reserve(rows_ * cols_);
  const auto planes = static_cast<std::size_t>(ring_->planes());
  FEDVS_CHECK(planes <= kMaxPlanes, "more planes than any ring has");
  std::array<Residue, kMaxPlanes> residues;
  for (std::size_t r = 0; r < rows_; ++r) {
    for (std::size_t c = 0; c < cols_; ++c) {
      for (std::size_t i = 0; i < planes; ++i) residues[i] = get(static_cast<int>(i), r, c);
      integers.push_back(ring_->integer({residues.data(), planes}));
    }
  }
  return integers;
}

void RingMatrix::paste(const RingMatrix& part, std::size_t row, std::size_t col) {
  if (part.empty()) return;
  FEDVS_CHECK(part.ring() == ring(), "one ring");
  FEDVS_CHECK(row + part.rows_ <= rows_ && col + part.cols_ <= cols_, "the part must fit");
  const auto word = static_cast<std::size_t>(ring_->word_bytes());
  for (int plane = 0; plane < ring_->planes(); ++plane) {
    for (std::size_t r = 0; r < part.rows_; ++r) {
      std::memcpy(bytes_.get() + (offset(plane, row + r) + col) * word,
                  part.bytes_.get() + part.offset(plane, r) * word, part.cols_ * word);
    }
  }
}

void RingMatrix::paste_flat(const RingMatrix& flat, std::size_t row, std::size_t rows,
                            std::size_t col, std::size_t cols) {
  if (flat.empty()) return;
  FEDVS_CHECK(flat.ring() == ring(), "one ring");
  FEDVS_CHECK(flat.rows_ == 1 && flat.cols_ == rows * cols, "one row holds all");
  FEDVS_CHECK(row + rows <= rows_ && col + cols <= cols_, "the part must fit");
  const auto word = static_cast<std::size_t>(ring_->word_bytes());
  for (int plane = 0; plane < ring_->planes(); ++plane) {
    for (std::size_t r = 0; r < rows; ++r) {
      std::memcpy(bytes_.get() + (offset(plane, row + r) + col) * word,
                  flat.bytes_.get() + (flat.offset(plane, 0) + r * cols) * word, cols * word);
    }
  }
}

bool RingMatrix::operator==(const RingMatrix& other) const {
  if (rows_ != other.rows_ || cols_ != other.cols_) return false;
  if (empty()) return true;
  if (!(ring() == other.ring())) return false;
  const auto word = static_cast<std::size_t>(ring_->word_bytes());
  for (std::size_t r = 0; r < rows_ * static_cast<std::size_t>(ring_->planes()); ++r) {
    const std::size_t at = r * stride_ * word;
    if (std::memcmp(bytes_.get() + at, other.bytes_.get() + at, cols_ * word) != 0) return false;
  }
  return true;
}

void RingMatrix::wipe() {
  if (!empty()) fedvs::wipe(bytes());
}

RingMatrix uniform(const Ring& ring, std::size_t rows, std::size_t cols, Prng& masks) {
  RingMatrix matrix(ring, rows, cols);
  for (int plane = 0; plane < ring.planes(); ++plane) {
    for (std::size_t r = 0; r < rows; ++r) {
      if (ring.word_bytes() == 1) {
        masks.fill_uniform(std::span(matrix.row<std::uint8_t>(plane, r), cols), ring.prime(plane));
      } else {
        masks.fill_uniform(std::span(matrix.row<std::uint32_t>(plane, r), cols), ring.prime(plane));
      }
    }
  }
  return matrix;
}

void add_into(RingMatrix& into, const RingMatrix& term) {
  if (into.empty()) return;
  FEDVS_CHECK(into.ring() == term.ring(), "one ring");
  FEDVS_CHECK(into.cols() == term.cols() && into.rows() <= term.rows(), "one shape");
  const Ring& ring = into.ring();
  for (int plane = 0; plane < ring.planes(); ++plane) {
    for (std::size_t r = 0; r < into.rows(); ++r) {
      if (ring.word_bytes() == 1) {
        add_words(into.row<std::uint8_t>(plane, r), term.row<std::uint8_t>(plane, r), into.cols(),
                  static_cast<std::uint8_t>(ring.prime(plane)));
      } else {
        add_words(into.row<std::uint32_t>(plane, r), term.row<std::uint32_t>(plane, r), into.cols(),
                  ring.prime(plane));
      }
    }
  }
}

}  // namespace fedvs::field
