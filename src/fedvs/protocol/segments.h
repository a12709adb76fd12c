// Rows are cut into K segments of C = ceil(rows / K); coded row i stands for the samples i, C + i,
// 2C + i, ... A batch's samples are stacked segment by segment: sample k C + rows[i] sits at k b +
// i.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "fedvs/model/polynomial_network.h"
#include "fedvs/protocol/agreement.h"

namespace fedvs::protocol {

// Sample numbers of a batch in stacked order; model::kPadding beyond the last sample.
inline std::vector<std::size_t> samples_of(const Agreement& agreement, data::Part part,
                                           std::span<const std::size_t> rows) {
  const std::size_t segment = agreement.coded_rows(part);
  const std::size_t count = agreement.rows[static_cast<int>(part)];
  std::vector<std::size_t> samples;
  samples.reserve(rows.size() * static_cast<std::size_t>(agreement.shape.blocks));
  for (int k = 0; k < agreement.shape.blocks; ++k) {
    for (std::size_t row : rows) {
      const std::size_t sample = static_cast<std::size_t>(k) * segment + row;
      samples.push_back(sample < count ? sample : model::kPadding);
    }
  }
  return samples;
}

}  // namespace fedvs::protocol
