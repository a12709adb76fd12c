// A deployment on one machine, for trying things out: all keys are made in one place, and the
// roster says so.
#pragma once
#include <ctime>
#include <filesystem>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/deploy/server_folder.h"

namespace fedvs::deploy {

struct Trial {
  std::filesystem::path server;                // deploy/server
  std::vector<std::filesystem::path> clients;  // deploy/NAME, with the roster accepted
  Roster roster;
};
// Makes `folder`, which must not exist: invites, joins, admits and accepts. Needs
// deployment.trial.
Result<Trial> deploy_trial(const Deployment& deployment, const std::filesystem::path& folder,
                           int days, std::time_t now);

}  // namespace fedvs::deploy
