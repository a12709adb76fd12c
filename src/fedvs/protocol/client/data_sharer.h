// Shares of a client's own rows, chunk by chunk.                                Paper: Eq. (2)
//   client n -> client m:  F_n(alpha_m) = sum_k X_k l_k(alpha_m) + sum_t Z_t l_{K+t}(alpha_m)
// Masks come from one secret key per sharing, so a chunk that must be sent again is the same bytes.
// No key may ever mask other integers: the difference of two shares would be that of the rows.
// Reveals nothing to any T recipients.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/prng.h"
#include "fedvs/coding/lagrange.h"
#include "fedvs/model/fixed_rows.h"
#include "fedvs/protocol/chunks.h"

namespace fedvs::protocol {

// Of all that determines the shares of a client's rows, but for masks: ring, points, N, K, T, the
// scale and degrees of everybody, and the integers themselves.
Digest shared_digest(const Agreement& agreement, const coding::LagrangeCode& code, int client,
                     std::span<const model::FixedRows> parts);

class DataSharer {
 public:
  DataSharer(const Agreement& agreement, const coding::LagrangeCode& code, Prng key_stream);
  ~DataSharer();
  DataSharer(DataSharer&&) = default;

  // Rows [first, first + count) of the coded rows, for one recipient. A chunk's residues and masks
  // are kept until all N recipients had their share, since they ask in any order; or until many
  // others came, and are made again then.
  field::RingMatrix share(const model::FixedRows& rows, data::Part part, std::size_t first,
                          std::size_t count, int recipient);
  // The T masks of the chunk that starts at coded row `first`, one row each.
  std::vector<field::RingMatrix> masks(data::Part part, std::size_t first,
                                       std::size_t elements) const;

 private:
  struct Chunk {
    std::vector<field::RingMatrix> blocks;  // K segments and T masks
    int served = 0;
  };
  Chunk load(const model::FixedRows& rows, data::Part part, std::size_t first,
             std::size_t count) const;
  const Agreement& agreement_;
  const coding::LagrangeCode& code_;
  Key256 key_;
  std::map<std::pair<data::Part, std::size_t>, Chunk> chunks_;
};

}  // namespace fedvs::protocol
