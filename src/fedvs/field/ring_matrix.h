// A matrix over a ring: plane after plane, each row-major, rows padded to 64 bytes with zeros.
// Its memory is zeroed when it goes (but for mapped files): what is kept in one is a secret or a
// share of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fedvs/base/mapped_memory.h"
#include "fedvs/base/prng.h"
#include "fedvs/field/ring.h"

namespace fedvs::field {

class RingMatrix {
 public:
  RingMatrix() = default;
  RingMatrix(const Ring& ring, std::size_t rows, std::size_t cols);  // zero
  RingMatrix(RingMatrix&&) noexcept = default;
  RingMatrix& operator=(RingMatrix&&) noexcept = default;
  RingMatrix(const RingMatrix&) = delete;  // shares are large: copies are asked for by name
  RingMatrix& operator=(const RingMatrix&) = delete;
  // Only the padding is zero: for results that are written whole.
  static RingMatrix unset(const Ring& ring, std::size_t rows, std::size_t cols);
  RingMatrix clone() const;
  // Kept in a file: its bytes as they are (a new file's: zero), with padding as in memory. They are
  // not wiped when the matrix goes; whether the file then goes is up to MappedMemory::keep.
  static RingMatrix mapped(const Ring& ring, std::size_t rows, std::size_t cols,
                           MappedMemory memory);  // of size_bytes(ring, rows, cols)
  static std::size_t size_bytes(const Ring& ring, std::size_t rows, std::size_t cols);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  bool empty() const { return rows_ == 0 || cols_ == 0; }
  const Ring& ring() const { return *ring_; }
  std::size_t stride() const { return stride_; }  // words from one row to the next

  // Word is uint8_t where ring().word_bytes() == 1, uint32_t where it is 4.
  template <class Word>
  Word* row(int plane, std::size_t r) {
    return reinterpret_cast<Word*>(bytes_.get()) + offset(plane, r);
  }
  template <class Word>
  const Word* row(int plane, std::size_t r) const {
    return reinterpret_cast<const Word*>(bytes_.get()) + offset(plane, r);
  }
  std::uint8_t* row_bytes(int plane, std::size_t r) {
    return bytes_.get() + offset(plane, r) * static_cast<std::size_t>(ring_->word_bytes());
  }
  const std::uint8_t* row_bytes(int plane, std::size_t r) const {
    return bytes_.get() + offset(plane, r) * static_cast<std::size_t>(ring_->word_bytes());
  }
  Residue get(int plane, std::size_t r, std::size_t c) const;  // for tests and small matrices
  void set(int plane, std::size_t r, std::size_t c, Residue value);
  std::span<const std::uint8_t> bytes() const { return {bytes_.get(), size_bytes()}; }
  std::span<std::uint8_t> bytes() { return {bytes_.get(), size_bytes()}; }
  std::size_t size_bytes() const;  // with padding
  std::size_t wire_bytes() const;  // without: rows * cols * bytes_per_element

  // All residues of integers[r * cols + c] (phi of every plane).
  static RingMatrix from_integers(const Ring& ring, std::size_t rows, std::size_t cols,
                                  std::span<const std::int32_t> integers);
  std::vector<std::int64_t> to_integers() const;  // joins planes; centred
  void to_integers(std::span<std::int64_t> integers) const;
  // Copies `part` into the columns from `col` on and the rows from `row` on.
  void paste(const RingMatrix& part, std::size_t row, std::size_t col);
  void clear_columns(std::size_t first, std::size_t count);  // of all rows: zero
  // The same from a matrix of one row that holds rows x cols elements row by row: narrow shares are
  // kept so, since padding every row to 64 bytes would double them.
  void paste_flat(const RingMatrix& flat, std::size_t row, std::size_t rows, std::size_t col,
                  std::size_t cols);
  bool operator==(const RingMatrix& other) const;  // of contents
  void wipe();                                     // zeroes in a way the compiler keeps

 private:
  struct Unset {};
  RingMatrix(const Ring& ring, std::size_t rows, std::size_t cols, Unset);
  std::size_t offset(int plane, std::size_t r) const {
    return (static_cast<std::size_t>(plane) * rows_ + r) * stride_;
  }
  struct Free {
    void* block;  // that the bytes lie in; null: the memory is file_'s
    std::size_t size;
    void operator()(std::uint8_t* bytes) const;
  };
  std::shared_ptr<const Ring> ring_;
  std::size_t rows_ = 0, cols_ = 0, stride_ = 0;
  std::unique_ptr<MappedMemory> file_;
  std::unique_ptr<std::uint8_t[], Free> bytes_;  // 64-byte aligned
};

// Every element uniform on the ring: each plane uniform on [0, prime). Padding stays zero.
RingMatrix uniform(const Ring& ring, std::size_t rows, std::size_t cols, Prng& masks);
void fill_uniform(RingMatrix& matrix, Prng& masks);  // the same draws into a matrix that exists
// Residues of integers[r * cols + c] go to element (first_row + r, first_col + c).
void put_integers(RingMatrix& out, std::size_t first_row, std::size_t first_col, std::size_t rows,
                  std::size_t cols, std::span<const std::int32_t> integers);
void put_integers(RingMatrix& out, std::size_t first_row, std::size_t first_col, std::size_t rows,
                  std::size_t cols, std::span<const std::int16_t> integers);
// into += term, plane by plane. Same shape; term may have more rows (the surplus is not used).
void add_into(RingMatrix& into, const RingMatrix& term);

}  // namespace fedvs::field
