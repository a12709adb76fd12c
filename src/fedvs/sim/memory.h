// How much memory a job takes, from public facts, before anything runs: the sum of what parties
// hold, at the moment when that is most.
#pragma once
#include "fedvs/protocol/agreement.h"

namespace fedvs::sim {

// Bytes. Mapped files are counted apart: the system keeps their pages in memory while there is
// room, and writes them out where there is none.
struct Memory {
  double client;            // one networked client, the mean over the clients
  double client_files;      // its share of everybody's rows
  double simulation;        // all parties in one process
  double simulation_files;  // 0 unless sim.data_shares is "kept"
};
// `job`: the one agreed upon.
Memory memory_of(const protocol::Agreement& agreement, const Job& job);

}  // namespace fedvs::sim
