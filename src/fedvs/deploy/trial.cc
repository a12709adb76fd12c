#include "fedvs/deploy/trial.h"

#include "fedvs/deploy/admission.h"
#include "fedvs/deploy/client_folder.h"
#include "fedvs/deploy/confirmation.h"
#include "fedvs/deploy/document.h"
#include "fedvs/deploy/folder_names.h"
#include "fedvs/deploy/hex.h"
#include "fedvs/deploy/new_folder.h"

namespace fedvs::deploy {
namespace {

namespace fs = std::filesystem;

Result<std::vector<Request>> join_all(const std::vector<Invitation>& invitations,
                                      const fs::path& folder, std::time_t now) {
  std::vector<Request> requests;
  for (const auto& invitation : invitations) {
    FEDVS_TRY(const auto joined, join(invitation, folder / invitation.name, now));
    FEDVS_TRY(const std::string text, read_document(joined.request));
    FEDVS_TRY(auto request, parse_request(text, joined.request.string()));
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace

Result<Trial> deploy_trial(const Deployment& deployment, const fs::path& folder, int days,
                           std::time_t now) {
  FEDVS_CHECK(deployment.trial, "a trial is marked as one");
  FEDVS_TRY(auto made, NewFolder::begin(folder));
  const fs::path server = made.path() / files::kServer;
  FEDVS_TRY_STATUS(make_folder(server));
  FEDVS_TRY(const auto founded, found_server(deployment, server, now));
  FEDVS_TRY(const auto requests, join_all(founded.invitations, made.path(), now));
  FEDVS_TRY(const auto admission, admit(server, requests, {.days = days}, now));
  FEDVS_CHECK(admission.roster.has_value(), "all have joined");
  Trial trial{folder / files::kServer, {}, *admission.roster};
  for (const auto& name : deployment.clients) {
    FEDVS_TRY(const auto accepted, accept_roster(made.path() / name, trial.roster, false, now));
    FEDVS_CHECK(accepted.changed.empty(), "it is the first roster");
    FEDVS_TRY_STATUS(
        confirm_roster(made.path() / name, trial.roster, grouped(fingerprint(trial.roster))));
    trial.clients.push_back(folder / name);
  }
  FEDVS_TRY_STATUS(made.commit());
  return trial;
}

}  // namespace fedvs::deploy
