// Rows of fixed-point integers, 2 bytes each or 4. Several clients of one process may lie side by
// side in a block: what works for all of them then reads whole rows, not a few bytes of each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fedvs::model {

class RowBlock {
 public:
  RowBlock(std::size_t rows, std::size_t cols, bool narrow);  // zero

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t bytes() const { return bytes_; }  // held in memory
  bool is_narrow() const { return narrow_; }

  // All integers, row by row, with kStrip readable elements more. Only for blocks of that kind.
  std::int16_t* narrow() { return static_cast<std::int16_t*>(memory_.get()); }
  std::int32_t* wide() { return static_cast<std::int32_t*>(memory_.get()); }
  const std::int16_t* narrow() const { return static_cast<std::int16_t*>(memory_.get()); }
  const std::int32_t* wide() const { return static_cast<std::int32_t*>(memory_.get()); }

  // Asks for a row's cache lines ahead of its use.
  void prefetch(std::size_t row) const;
  // Columns [first, first + out.size()) of a row.
  void integers(std::size_t row, std::size_t first, std::span<std::int32_t> out) const;

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::size_t rows_, cols_, bytes_;
  bool narrow_;
  std::unique_ptr<void, Free> memory_;  // 64-byte aligned
};

}  // namespace fedvs::model
