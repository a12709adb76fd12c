#include "fedvs/field/ring_matrix.h"

#include <cstdlib>
#include <cstring>

#include "fedvs/base/wipe.h"
#include "fedvs/field/add_words.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t padded_words(std::size_t cols, std::size_t word_bytes) {
  return (cols * word_bytes + kAlignment - 1) / kAlignment * kAlignment / word_bytes;
}

// Matrices of one ring share one copy of it: they are made by the thousand per round.
std::shared_ptr<const Ring> shared_ring(const Ring& ring) {
  thread_local std::shared_ptr<const Ring> last;
  if (!last || !(*last == ring)) last = std::make_shared<const Ring>(ring);
  return last;
}

}  // namespace

void RingMatrix::Free::operator()(std::uint8_t* bytes) const {
  if (block == nullptr) return;
  fedvs::wipe(std::span(bytes, size));
  std::free(block);
}

RingMatrix::RingMatrix(const Ring& ring, std::size_t rows, std::size_t cols)
    : RingMatrix(ring, rows, cols, Unset{}) {
  if (!empty()) std::memset(bytes_.get(), 0, size_bytes());
}

RingMatrix::RingMatrix(const Ring& ring, std::size_t rows, std::size_t cols, Unset)
    : ring_(shared_ring(ring)),
      rows_(rows),
      cols_(cols),
      stride_(padded_words(cols, static_cast<std::size_t>(ring.word_bytes()))) {
  if (empty()) return;
  // Aligned here, not by aligned_alloc: glibc before 2.38 cannot use the room of a freed aligned
  // block for another of its size, so that a process which makes and drops matrices grows and
  // grows.
  void* const block = std::malloc(size_bytes() + kAlignment);
  FEDVS_CHECK(block != nullptr, "out of memory");
  const auto past = reinterpret_cast<std::uintptr_t>(block) % kAlignment;
  bytes_ = {static_cast<std::uint8_t*>(block) + (kAlignment - past), Free{block, size_bytes()}};
}

RingMatrix RingMatrix::unset(const Ring& ring, std::size_t rows, std::size_t cols) {
  RingMatrix matrix(ring, rows, cols, Unset{});
  if (matrix.empty() || matrix.stride_ == cols) return matrix;
  const auto word = static_cast<std::size_t>(ring.word_bytes());
  const std::size_t row = matrix.stride_ * word, used = cols * word;
  for (std::size_t r = 0; r < rows * static_cast<std::size_t>(ring.planes()); ++r) {
    std::memset(matrix.bytes_.get() + r * row + used, 0, row - used);
  }
  return matrix;
}

RingMatrix RingMatrix::clone() const {
  if (!ring_) return {};
  RingMatrix copy(*ring_, rows_, cols_);
  if (!empty()) std::memcpy(copy.bytes_.get(), bytes_.get(), size_bytes());
  return copy;
}

RingMatrix RingMatrix::mapped(const Ring& ring, std::size_t rows, std::size_t cols,
                              MappedMemory memory) {
  RingMatrix matrix;
  matrix.ring_ = shared_ring(ring);
  matrix.rows_ = rows;
  matrix.cols_ = cols;
  matrix.stride_ = padded_words(cols, static_cast<std::size_t>(ring.word_bytes()));
  FEDVS_CHECK(memory.size() == matrix.size_bytes(), "the file must have the matrix's size");
  matrix.file_ = std::make_unique<MappedMemory>(std::move(memory));
  matrix.bytes_ = {matrix.file_->bytes().data(), Free{nullptr, 0}};
  return matrix;
}

std::size_t RingMatrix::size_bytes(const Ring& ring, std::size_t rows, std::size_t cols) {
  if (rows == 0 || cols == 0) return 0;
  return rows * padded_words(cols, static_cast<std::size_t>(ring.word_bytes())) *
         static_cast<std::size_t>(ring.bytes_per_element());
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
  return empty() ? 0 : size_bytes(*ring_, rows_, cols_);
}

std::size_t RingMatrix::wire_bytes() const {
  return empty() ? 0 : rows_ * cols_ * static_cast<std::size_t>(ring_->bytes_per_element());
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

void RingMatrix::clear_columns(std::size_t first, std::size_t count) {
  FEDVS_CHECK(first + count <= cols_, "columns of the matrix");
  const auto word = static_cast<std::size_t>(ring_->word_bytes());
  for (int plane = 0; plane < ring_->planes(); ++plane) {
    for (std::size_t r = 0; r < rows_; ++r) {
      std::memset(row_bytes(plane, r) + first * word, 0, count * word);
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

namespace {

template <class Word>
void fill_planes(RingMatrix& matrix, Prng& masks) {
  const bool padded = matrix.stride() != matrix.cols();  // else a plane is one long row
  const std::size_t rows = padded ? matrix.rows() : 1;
  const std::size_t words = padded ? matrix.cols() : matrix.rows() * matrix.cols();
  for (int plane = 0; plane < matrix.ring().planes(); ++plane) {
    for (std::size_t r = 0; r < rows; ++r) {
      masks.fill_uniform(std::span(matrix.row<Word>(plane, r), words), matrix.ring().prime(plane));
    }
  }
}

}  // namespace

void fill_uniform(RingMatrix& matrix, Prng& masks) {
  if (matrix.empty()) return;
  if (matrix.ring().word_bytes() == 1) {
    fill_planes<std::uint8_t>(matrix, masks);
  } else {
    fill_planes<std::uint32_t>(matrix, masks);
  }
}

RingMatrix uniform(const Ring& ring, std::size_t rows, std::size_t cols, Prng& masks) {
  RingMatrix matrix = RingMatrix::unset(ring, rows, cols);
  fill_uniform(matrix, masks);
  return matrix;
}

void add_into(RingMatrix& into, const RingMatrix& term) {
  if (into.empty()) return;
  FEDVS_CHECK(into.ring() == term.ring(), "one ring");
  FEDVS_CHECK(into.cols() == term.cols() && into.rows() <= term.rows(), "one shape");
  const Ring& ring = into.ring();
  const std::size_t words = into.rows() * into.stride();  // with padding: zero plus zero
  for (int plane = 0; plane < ring.planes(); ++plane) {
    const std::uint32_t prime = ring.prime(plane);
    if (ring.word_bytes() == 1) {
      add_words(into.row<std::uint8_t>(plane, 0), term.row<std::uint8_t>(plane, 0), words, prime);
    } else {
      add_words(into.row<std::uint32_t>(plane, 0), term.row<std::uint32_t>(plane, 0), words, prime);
    }
  }
}

}  // namespace fedvs::field
