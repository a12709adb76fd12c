#include "fedvs/protocol/client/held_rows.h"

#include "fedvs/protocol/chunks.h"
#include "fedvs/protocol/of_client.h"

namespace fedvs::protocol {

HeldRows::HeldRows(const Agreement& agreement)
    : agreement_(agreement), counts_(agreement.shape.parties), sharings_(agreement.shape.parties) {
  for_each_chunk(agreement, [&](data::Part, std::size_t, std::size_t rows) {
    missing_ += rows * static_cast<std::size_t>(agreement.shape.parties);
  });
}

void HeldRows::add(int sender, const Chunk& chunk, const SharingId& sharing) {
  note_sharing(sender, sharing);
  if (!chunks_.emplace(std::pair(sender, chunk), sharing).second) return;
  const std::size_t rows = chunk_rows(agreement_, chunk.first, chunk.second);
  missing_ -= rows;
  counts_[sender] += rows;
}

void HeldRows::note_sharing(int sender, const SharingId& sharing) { sharings_[sender] = sharing; }

std::optional<SharingId> HeldRows::sharing_of(int sender, const Chunk& chunk) const {
  const auto held = chunks_.find({sender, chunk});
  return held == chunks_.end() ? std::nullopt : std::optional(held->second);
}

std::optional<int> HeldRows::shared_anew(std::span<const SharingId> named) const {
  for (int n = 0; n < sharings_.size(); ++n) {
    if (sharings_[n] && *sharings_[n] != of_client(named, n)) return n;
  }
  return std::nullopt;
}

bool HeldRows::drop_others(std::span<const SharingId> named) {
  const auto dropped = std::erase_if(chunks_, [&](const auto& held) {
    const auto& [sender, chunk] = held.first;
    if (held.second == of_client(named, sender)) return false;
    const std::size_t rows = chunk_rows(agreement_, chunk.first, chunk.second);
    missing_ += rows;
    counts_[sender] -= rows;
    return true;
  });
  return dropped > 0;
}

}  // namespace fedvs::protocol
