// Which coded rows of the others a client holds, chunk by chunk, and of which sharing they are.
// The rows themselves lie in CodedRows.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/identity.h"
#include "fedvs/protocol/per_client.h"

namespace fedvs::v1 {
class SavedClient;
}

namespace fedvs::protocol {

using Chunk = std::pair<data::Part, std::size_t>;  // the part, and the first coded row of it

class HeldRows {
 public:
  explicit HeldRows(const Agreement& agreement);  // which outlives it

  void add(int sender, const Chunk& chunk, const SharingId& sharing);  // a second time: no change
  void note_sharing(int sender, const SharingId& sharing);  // seen, though the chunk is not good
  bool holds(int sender, const Chunk& chunk) const { return chunks_.contains({sender, chunk}); }
  std::optional<SharingId> sharing_of(int sender, const Chunk& chunk) const;  // none: not held
  bool complete() const { return missing_ == 0; }                     // the rows of everybody
  const PerClient<std::uint64_t>& counts() const { return counts_; }  // coded rows, by sender

  // ---- `named`: the sharings of all clients, as a welcome has them
  // The first client whose chunk that came last is of another sharing.
  std::optional<int> shared_anew(std::span<const SharingId> named) const;
  // Holds chunks of other sharings no longer. True: there were some.
  bool drop_others(std::span<const SharingId> named);

  // Sharings only: chunks are noted beside the rows' files.
  void save(v1::SavedClient& to) const;
  Status restore(const v1::SavedClient& from);  // kCorrupt

 private:
  const Agreement& agreement_;
  std::size_t missing_ = 0;  // (sender, coded row) pairs still to come
  PerClient<std::uint64_t> counts_;
  std::map<std::pair<int, Chunk>, SharingId> chunks_;
  PerClient<std::optional<SharingId>> sharings_;  // of the chunk that came last
};

}  // namespace fedvs::protocol
