// What a server has whatever run comes of it: who it is, the labels, what its folder remembers, and
// who may come in. Not to be moved: the door refers to the identity.
#pragma once
#include <optional>

#include "fedvs/deploy/server_folder.h"
#include "fedvs/party/door.h"
#include "fedvs/party/group_memory.h"
#include "fedvs/party/run_clock.h"
#include "fedvs/party/server_state.h"

namespace fedvs::party {

struct ServerKit {
  deploy::ServerFolder identity;
  std::optional<TrainedServer> trained;  // what the rows are scored with; none: it trains
  data::PreparedLabels labels;
  ClassNames classes;
  ServerState state;
  GroupMemory groups;  // outlives the state
  Door door;
  RunClock clock = {};
  std::uint64_t restarts = 0;

  bool finished() const { return state.standing() && state.standing()->done; }
  wire::Terms terms() const { return door.terms(state.run()->id); }  // of the run that has begun
  // Rows are being shared: who takes part in the run, and with what, is final.
  Status settle() {
    if (door.settled()) return {};
    door.settle();
    ServerState::Run run = *state.run();
    run.settled = true;
    return state.begin(run);
  }
};

}  // namespace fedvs::party
