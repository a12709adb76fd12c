#include "fedvs/protocol/data_sharer.h"

#include <algorithm>
#include <cmath>

#include "fedvs/base/digest.h"
#include "fedvs/base/wipe.h"
#include "fedvs/protocol/combine_row.h"

namespace fedvs::protocol {
namespace {

// Coded rows [first, first + count) of segment k as integers; zero beyond the last sample.
std::vector<std::int32_t> segment_integers(const data::Table& rows, std::size_t begin,
                                           std::size_t count, int l_x) {
  std::vector<std::int32_t> integers(count * rows.cols, 0);
  const std::size_t present = begin < rows.rows ? std::min(count, rows.rows - begin) : 0;
  const float scale = std::ldexp(1.0f, l_x);
  const float* from = rows.values.data() + std::min(begin, rows.rows) * rows.cols;
  for (std::size_t i = 0; i < present * rows.cols; ++i) {
    integers[i] = static_cast<std::int32_t>(from[i] * scale);  // exact: multiples of 2^-l_x
  }
  return integers;
}

Key256 chunk_key(const Key256& key, data::Part part, std::size_t first) {
  return Hasher().add(key).add_u64(static_cast<std::uint64_t>(part)).add_u64(first).finish();
}

}  // namespace

DataSharer::DataSharer(const Agreement& agreement, const coding::LagrangeCode& code,
                       Prng key_stream)
    : agreement_(agreement), code_(code) {
  key_stream.fill(key_);
}

DataSharer::~DataSharer() { wipe(std::span(key_)); }

DataSharer::Chunk DataSharer::load(const data::Table& rounded_rows, data::Part part,
                                   std::size_t first, std::size_t count) const {
  Chunk chunk;
  const std::size_t segment = agreement_.coded_rows(part);
  for (int k = 0; k < agreement_.shape.blocks; ++k) {
    const std::size_t begin = static_cast<std::size_t>(k) * segment + first;
    chunk.blocks.push_back(field::RingMatrix::from_integers(
        agreement_.ring, 1, count * rounded_rows.cols,
        segment_integers(rounded_rows, begin, count, agreement_.scales.l_x)));
  }
  Key256 key = chunk_key(key_, part, first);
  Prng masks(key);
  wipe(std::span(key));
  for (int t = 0; t < agreement_.shape.colluding; ++t) {
    chunk.blocks.push_back(field::uniform(agreement_.ring, 1, count * rounded_rows.cols, masks));
  }
  return chunk;
}

field::RingMatrix DataSharer::share(const data::Table& rounded_rows, data::Part part,
                                    std::size_t first, std::size_t count, int recipient) {
  const std::pair key(part, first);
  auto found = chunks_.find(key);
  if (found == chunks_.end()) {
    found = chunks_.emplace(key, load(rounded_rows, part, first, count)).first;
  }
  auto share = combine_row(code_.data_matrix(), recipient, found->second.blocks);
  if (++found->second.served == agreement_.shape.parties) chunks_.erase(found);
  return share;
}

}  // namespace fedvs::protocol
