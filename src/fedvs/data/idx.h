// IDX files as MNIST and its successors are published: big-endian header, then unsigned bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs::data {

struct IdxImages {
  std::size_t count = 0, height = 0, width = 0;
  std::string bytes;     // the whole file
  std::size_t from = 0;  // of the first pixel
  const std::uint8_t* image(std::size_t i) const {
    return reinterpret_cast<const std::uint8_t*>(bytes.data()) + from + i * height * width;
  }
};
struct IdxSet {
  IdxImages images;
  std::vector<std::uint8_t> labels;
};

// kBadFile for a wrong magic number or a length that differs from what the header promises.
Result<IdxImages> read_idx_images(const std::string& path);
Result<std::vector<std::uint8_t>> read_idx_labels(const std::string& path);
// kBadData when the two files disagree on how many there are.
Result<IdxSet> read_idx_set(const std::string& images, const std::string& labels);

}  // namespace fedvs::data
