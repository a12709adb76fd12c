// Coded rows travel in chunks: all at once would be too many, for a message and for its sender.
#pragma once
#include <algorithm>
#include <cstddef>

#include "fedvs/protocol/agreement.h"

namespace fedvs::protocol {

inline constexpr std::size_t kChunkRows = 2048;  // coded rows per message, in the last one fewer

// Of the chunk that starts at coded row `first`, a multiple of kChunkRows.
inline std::size_t chunk_rows(const Agreement& agreement, data::Part part, std::size_t first) {
  return std::min(kChunkRows, agreement.coded_rows(part) - first);
}

// Calls visit(part, first row, rows) for every chunk of the coded rows.
template <class Visit>
void for_each_chunk(const Agreement& agreement, const Visit& visit) {
  for (int p = 0; p < data::kParts; ++p) {
    const auto part = static_cast<data::Part>(p);
    const std::size_t rows = agreement.coded_rows(part);
    for (std::size_t first = 0; first < rows; first += kChunkRows) {
      visit(part, first, chunk_rows(agreement, part, first));
    }
  }
}

}  // namespace fedvs::protocol
