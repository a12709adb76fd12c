// What a client brings to whatever run the server begins: who it is, its rows, and what its folder
// remembers.
#pragma once
#include <filesystem>
#include <optional>

#include "fedvs/deploy/client_folder.h"
#include "fedvs/party/client_state.h"
#include "fedvs/party/group_memory.h"
#include "fedvs/party/own_rows.h"
#include "fedvs/party/sealed_post.h"

namespace fedvs::party {

struct ClientKit {
  deploy::ClientFolder identity;
  std::filesystem::path folder;
  std::optional<TrainedClient> trained;  // what the rows are scored with; none: it trains
  OwnRows rows;
  ClientState state;
  SealedPost post;
  // None where rows are scored: all with one version of every model, whatever the groups.
  std::optional<GroupMemory> groups;
  double save_every;  // seconds
};

}  // namespace fedvs::party
