// A trial's folders with keys, and nobody who runs.
#pragma once
#include <ctime>
#include <string>
#include <vector>

#include "fedvs/deploy/client_folder.h"
#include "fedvs/deploy/server_folder.h"
#include "fedvs/deploy/trial.h"
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
        deploy::plan_deployment(job, names, {"127.0.0.1", 0}, true, now_ + 3600).value();
    trial_ = deploy::deploy_trial(deployment, folder_ / "deploy", 1, now_).value();
  }
  deploy::ClientFolder client(int n) const {
    return deploy::load_client_folder(trial_->clients[static_cast<std::size_t>(n)], now_).value();
  }
  deploy::ServerFolder server() const {
    return deploy::load_server_folder(trial_->server, now_).value();
  }
  std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }

 private:
  const std::time_t now_ = std::time(nullptr);
  ScratchFolder folder_;
  std::optional<deploy::Trial> trial_;
};

}  // namespace fedvs::party::testing
