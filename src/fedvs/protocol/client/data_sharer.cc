#include "fedvs/protocol/client/data_sharer.h"

#include <algorithm>

#include "fedvs/base/wipe.h"
#include "fedvs/coding/encoder.h"

namespace fedvs::protocol {
namespace {

// Rows [begin, begin + count) as integers; zero beyond the last.
std::vector<std::int32_t> segment_integers(const model::FixedRows& rows, std::size_t begin,
                                           std::size_t count) {
  std::vector<std::int32_t> integers(count * rows.cols(), 0);
  const std::size_t end = std::min(begin + count, rows.rows());
  if (begin < end) {
    rows.integers(begin, end, std::span(integers).first((end - begin) * rows.cols()));
  }
  return integers;
}

Key256 chunk_key(const Key256& key, data::Part part, std::size_t first) {
  return Hasher().add(key).add_u64(static_cast<std::uint64_t>(part)).add_u64(first).finish();
}

void add_number(Hasher& hasher, std::int64_t number) {
  hasher.add_u64(static_cast<std::uint64_t>(number));
}

void add_code(Hasher& hasher, const coding::LagrangeCode& code) {
  const auto& [parties, blocks, colluding] = code.shape();
  for (int number : {parties, blocks, colluding, code.ring().planes()}) add_number(hasher, number);
  for (int plane = 0; plane < code.ring().planes(); ++plane)
    hasher.add_u64(code.ring().prime(plane));
  for (int k = 0; k < blocks + colluding; ++k) hasher.add_u64(code.beta(k));
  for (int n = 0; n < parties; ++n) hasher.add_u64(code.alpha(n));
}

void add_rows(Hasher& hasher, const model::FixedRows& rows) {
  hasher.add_u64(rows.rows()).add_u64(rows.cols());
  for (std::size_t begin = 0; begin < rows.rows(); begin += kChunkRows) {
    const std::size_t count = std::min(kChunkRows, rows.rows() - begin);
    const auto integers = segment_integers(rows, begin, count);
    hasher.add(std::span(reinterpret_cast<const std::uint8_t*>(integers.data()),
                         integers.size() * sizeof(std::int32_t)));
  }
}

}  // namespace

Digest shared_digest(const Agreement& agreement, const coding::LagrangeCode& code, int client,
                     std::span<const model::FixedRows> parts) {
  Hasher hasher;
  hasher.add("fedvs shared integers 1");
  add_code(hasher, code);
  add_number(hasher, agreement.scales.l_x);
  add_number(hasher, client);
  for (const auto& width : agreement.clients) {
    add_number(hasher, width.features);
    add_number(hasher, width.degree);
  }
  for (std::size_t rows : agreement.rows) hasher.add_u64(rows);
  for (const auto& rows : parts) add_rows(hasher, rows);
  return hasher.finish();
}

DataSharer::DataSharer(const Agreement& agreement, const coding::LagrangeCode& code,
                       Prng key_stream)
    : agreement_(agreement), code_(code) {
  key_stream.fill(key_);
}

DataSharer::~DataSharer() { wipe(std::span(key_)); }

std::vector<field::RingMatrix> DataSharer::masks(data::Part part, std::size_t first,
                                                 std::size_t elements) const {
  Key256 key = chunk_key(key_, part, first);
  Prng stream(key);
  wipe(std::span(key));
  return coding::random_terms(code_, coding::Polynomial::kData, 1, elements, stream);
}

DataSharer::Chunk DataSharer::load(const model::FixedRows& rows, data::Part part, std::size_t first,
                                   std::size_t count) const {
  Chunk chunk;
  const std::size_t segment = agreement_.coded_rows(part);
  for (int k = 0; k < agreement_.shape.blocks; ++k) {
    const std::size_t begin = static_cast<std::size_t>(k) * segment + first;
    chunk.blocks.push_back(field::RingMatrix::from_integers(agreement_.ring, 1, count * rows.cols(),
                                                            segment_integers(rows, begin, count)));
  }
  for (auto& mask : masks(part, first, count * rows.cols()))
    chunk.blocks.push_back(std::move(mask));
  return chunk;
}

field::RingMatrix DataSharer::share(const model::FixedRows& rows, data::Part part,
                                    std::size_t first, std::size_t count, int recipient) {
  const std::pair key(part, first);
  auto found = chunks_.find(key);
  if (found == chunks_.end()) {
    constexpr std::size_t kMostChunks = 64;
    if (chunks_.size() >= kMostChunks) chunks_.erase(chunks_.begin());
    found = chunks_.emplace(key, load(rows, part, first, count)).first;
  }
  std::vector<const field::RingMatrix*> blocks;
  for (const auto& block : found->second.blocks) blocks.push_back(&block);
  field::RingMatrix share(agreement_.ring, 1, count * rows.cols());
  coding::encode(code_, coding::Polynomial::kData, blocks, recipient, share);
  if (++found->second.served == agreement_.shape.parties) chunks_.erase(found);
  return share;
}

}  // namespace fedvs::protocol
