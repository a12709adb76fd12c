// A trial's folders with keys, and nobody who runs.
#pragma once
#include <ctime>
#include <string>
#include <vector>

#include "fedvs/identity/client_folder.h"
#include "fedvs/identity/server_folder.h"
#include "fedvs/identity/trial.h"
#include "fedvs/job/parse.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::party::testing {

class Folders {
 public:
  explicit Folders(int clients) {
    const Job job =
        complete_job({.toml = std::nullopt,
                      .sets = {"data.name=synthetic", "data.clients=" + std::to_string(clients)}})
            .value();
    std::vector<std::string> names;
    for (int n = 0; n < clients; ++n) names.push_back("client-" + std::to_string(n + 1));
    const auto deployment =
        identity::plan_deployment(job, names, {"127.0.0.1", 0}, true, now_ + 3600).value();
    trial_ = identity::deploy_trial(deployment, folder_ / "deploy", 1, now_).value();
  }
  identity::ClientFolder client(int n) const {
    return identity::load_client_folder(trial_->clients[static_cast<std::size_t>(n)], now_).value();
  }
  identity::ServerFolder server() const {
    return identity::load_server_folder(trial_->server, now_).value();
  }
  std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }

 private:
  const std::time_t now_ = std::time(nullptr);
  ScratchFolder folder_;
  std::optional<identity::Trial> trial_;
};

}  // namespace fedvs::party::testing
