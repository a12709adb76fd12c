// What waiting for everybody costs, to set a round beside.
#pragma once
#include <algorithm>
#include <cstdint>

#include "fedvs/sim/delays.h"
#include "fedvs/sim/links.h"

namespace fedvs::sim {

// One round in plain split learning that waits for all N embeddings: the slowest upload delay of
// this round, and N embeddings in and N gradients out of the server's link. Without computing.
inline double seconds_to_wait_for_all(const Delays& delays, const Links& links, int clients,
                                      std::uint64_t round, std::size_t values) {
  double slowest = 0;
  for (int n = 0; n < clients; ++n) slowest = std::max(slowest, delays.upload(n, round));
  return slowest + links.seconds(2.0 * clients * static_cast<double>(values) * sizeof(float));
}

}  // namespace fedvs::sim
