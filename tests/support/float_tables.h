// Seeded floats for tests of the clients' own arithmetic.
#pragma once
#include <vector>

#include "fedvs/base/public_random.h"
#include "fedvs/data/dataset.h"

namespace fedvs::testing {

inline std::vector<float> normals(std::size_t count, std::uint64_t key, double spread = 1.0) {
  PublicRandom random(key);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(spread * random.next_normal());
  return values;
}

inline data::Table normal_table(std::size_t rows, std::size_t cols, std::uint64_t key) {
  return {rows, cols, normals(rows * cols, key)};
}

}  // namespace fedvs::testing
