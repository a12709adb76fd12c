// Fetches the rows of others chunk by chunk: which chunks to ask a sender for, and when.
//   wanted --(a few at once)--> asked --(it came)--> held
//   asked --(the sender has a new life: the request is lost)--> wanted
#pragma once
#include <vector>

#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/client/held_rows.h"
#include "fedvs/protocol/per_client.h"

namespace fedvs::protocol {

class RowFetcher {
 public:
  static constexpr std::size_t kAskedAtOnce = 4;  // chunks, of every sender

  explicit RowFetcher(const Agreement& agreement);  // which outlives it

  // Each returns what to ask the sender for now.
  std::vector<Chunk> begin(int sender, const HeldRows& held);     // all that is not held
  std::vector<Chunk> go_on(int sender, const HeldRows& held);     // after a chunk has come
  std::vector<Chunk> ask_anew(int sender, const HeldRows& held);  // of the sender's new life
  // All that was asked for and has not come: it may be lost. A chunk that comes twice counts once.
  std::vector<Chunk> repeat(int sender, const HeldRows& held) const;

 private:
  std::size_t asked_at_once(int sender) const;
  struct Fetching {
    std::vector<Chunk> wanted;  // last first
    std::vector<Chunk> asked;
  };
  const Agreement& agreement_;
  PerClient<Fetching> fetching_;
};

}  // namespace fedvs::protocol
