#include "fedvs/model/row_block.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "fedvs/base/check.h"
#include "fedvs/model/float_kernels.h"

namespace fedvs::model {
namespace {

constexpr std::size_t kLine = 64, kLargePage = std::size_t{1} << 21;

// Rows of a batch lie anywhere: with pages of 4 KiB every one of them costs a walk of the page
// table, with large pages none does.
void* zeroed(std::size_t bytes) {
  const bool large = bytes >= kLargePage;
  const std::size_t alignment = large ? kLargePage : kLine;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  if (large) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: it may be refused
  return std::memset(memory, 0, bytes);
}

}  // namespace

RowBlock::RowBlock(std::size_t rows, std::size_t cols, bool narrow)
    : rows_(rows),
      cols_(cols),
      bytes_((rows * cols + kStrip) * (narrow ? sizeof(std::int16_t) : sizeof(std::int32_t))),
      narrow_(narrow),
      memory_(zeroed(bytes_)) {}

void RowBlock::Free::operator()(void* memory) const { std::free(memory); }

void RowBlock::prefetch(std::size_t row) const {
  const std::size_t pitch = cols_ * (narrow_ ? sizeof(std::int16_t) : sizeof(std::int32_t));
  const char* const data = static_cast<const char*>(memory_.get()) + row * pitch;
  for (std::size_t at = 0; at < pitch; at += kLine) __builtin_prefetch(data + at);
}

void RowBlock::integers(std::size_t row, std::size_t first, std::span<std::int32_t> out) const {
  FEDVS_CHECK(row < rows_ && first + out.size() <= cols_, "a part of a row");
  const std::size_t at = row * cols_ + first;
  if (narrow_) {
    std::copy_n(narrow() + at, out.size(), out.data());
  } else {
    std::copy_n(wide() + at, out.size(), out.data());
  }
}

}  // namespace fedvs::model
