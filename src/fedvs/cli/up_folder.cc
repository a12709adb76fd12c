#include "fedvs/cli/up_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <string_view>
#include <thread>

#include "fedvs/cli/free_port.h"
#include "fedvs/cli/networked_job.h"
#include "fedvs/data/catalog.h"
#include "fedvs/data/party_files.h"
#include "fedvs/deploy/new_folder.h"
#include "fedvs/deploy/party_name.h"
#include "fedvs/deploy/trial.h"
#include "fedvs/deploy/utc_time.h"
#include "fedvs/experiments/there.h"
#include "fedvs/party/server_state.h"

namespace fedvs::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDays = 365;  // that invitations and certificates are valid
// Clients start together with the server, and read files that are there: ten minutes are plenty
// even for large ones on a loaded machine.
constexpr const char* kSecondsForClientsToCome = "600";

Status check_place(const fs::path& path) {
  FEDVS_TRY(const bool taken, experiments::is_there(path));
  if (!taken) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} exists already: go on with it by `fedvs up --dir {}` without a job, "
                           "or choose another folder",
                           path.string(), path.string())};
}

Result<deploy::Deployment> plan_trial(Job job, std::size_t clients, std::time_t now) {
  FEDVS_TRY(const int port, free_loopback_port());
  FEDVS_TRY(auto deployment,
            deploy::plan_deployment(
                std::move(job), deploy::numbered_names(static_cast<int>(clients)),
                {.host = "127.0.0.1", .port = port}, /*trial=*/true, now + kDays * deploy::kDay));
  FEDVS_TRY_STATUS(check_networked_shape(deployment.job));
  return deployment;
}

}  // namespace

Result<UpFolder> UpFolder::make(const Job& job, const fs::path& path) {
  FEDVS_TRY_STATUS(check_place(path));
  FEDVS_TRY_STATUS(check_networked_method(job));
  FEDVS_TRY(const auto set, data::load(job.data));
  const std::time_t now = std::time(nullptr);
  FEDVS_TRY(const auto deployment, plan_trial(job, set.client_columns.size(), now));
  FEDVS_TRY(auto made, deploy::NewFolder::begin(path));
  FEDVS_TRY_STATUS(data::write_party_files(set, deployment.job.data, made.path() / "parties"));
  FEDVS_TRY(const auto trial, deploy::deploy_trial(deployment, made.path() / "deploy", kDays, now));
  FEDVS_TRY_STATUS(deploy::make_folder(made.path() / "logs"));
  FEDVS_TRY_STATUS(made.commit());
  return UpFolder(path, deployment.clients);
}

Result<UpFolder> UpFolder::open(const fs::path& path) {
  FEDVS_TRY(const bool deployed, experiments::is_there(path / "deploy" / "server"));
  if (!deployed) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} is no folder of fedvs up: begin one with `fedvs up --data NAME "
                             "--dir {}`",
                             path.string(), path.string())};
  }
  FEDVS_TRY(auto deployment, deploy::load_deployment(path / "deploy" / "server"));
  return UpFolder(path, std::move(deployment.clients));
}

Result<bool> UpFolder::finished() const {
  FEDVS_TRY(const auto state, party::ServerState::open(server_folder() / "state"));
  return state.standing() && state.standing()->done;
}

fs::path UpFolder::log_file(const std::string& party) const {
  return path_ / "logs" / (party + ".log");
}

std::string UpFolder::threads_each() const {
  const auto cores = std::thread::hardware_concurrency();
  return std::to_string(std::max<std::size_t>(1, cores / (clients_.size() + 1)));
}

std::vector<std::string> UpFolder::server_arguments() const {
  const auto files = data::party_files(path_ / "parties", clients_.size());
  return {"server",
          "--dir",
          server_folder().string(),
          "--labels",
          files.labels.string(),
          "--out",
          run_folder().string(),
          "--wait",
          kSecondsForClientsToCome,
          "--linger",
          "0",  // nobody starts a client again that died
          "--threads",
          threads_each()};
}

std::vector<std::string> UpFolder::client_arguments(std::size_t client) const {
  const auto files = data::party_files(path_ / "parties", clients_.size());
  return {"client",
          "--dir",
          (path_ / "deploy" / clients_[client]).string(),
          "--data",
          files.clients[client].string(),
          "--threads",
          threads_each()};
}

std::string shell_command(const std::vector<std::string>& arguments) {
  std::string command = "fedvs";
  for (const auto& argument : arguments) {
    const bool plain = !argument.empty() && std::ranges::all_of(argument, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
             std::string_view("-_./=:").find(c) != std::string_view::npos;
    });
    std::string quoted;
    for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += plain ? " " + argument : " '" + quoted + "'";
  }
  return command;
}

}  // namespace fedvs::cli
