// An agreement and a welcome without any data: for tests of one part of the protocol.
#pragma once
#include <vector>

#include "fedvs/job/parse.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::testing {

// Seven clients of two features each, K = 2, T = 1 (R = 5), 40 training, 6 validation and 8 test
// rows, ten samples per batch: 20, 3 and 4 coded rows in batches of 5. Groups hold at least three.
inline protocol::Agreement small_agreement(std::vector<std::string> sets = {},
                                           std::size_t train_rows = 40) {
  sets.insert(sets.begin(),
              {"data.name=synthetic", "model.width=3", "train.batch_size=10", "code.K=2"});
  const Job job = complete_job({.toml = std::nullopt, .sets = std::move(sets)}).value();
  return protocol::agree(job, std::vector<int>(7, 2), {train_rows, 6, 8}, 2).value();
}

inline protocol::Incarnation incarnation(std::uint8_t name) {
  protocol::Incarnation made;
  made.bytes.fill(name);
  return made;
}

// Client n is incarnation(n + 1), the server incarnation(100).
inline protocol::Welcome welcome(int parties) {
  protocol::Welcome made{.server = incarnation(100), .clients = {}};
  for (int n = 0; n < parties; ++n) {
    made.clients.push_back(incarnation(static_cast<std::uint8_t>(n + 1)));
    made.sharings.emplace_back();
    made.seeds.emplace_back();
  }
  return made;
}

}  // namespace fedvs::testing
