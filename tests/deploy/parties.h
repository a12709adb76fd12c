// A server's folder and three clients' below a folder of the test's own.
#pragma once
#include <gmock/gmock.h>

#include <ctime>
#include <string>
#include <vector>

#include "fedvs/deploy/admission.h"
#include "fedvs/deploy/client_folder.h"
#include "fedvs/deploy/document.h"
#include "fedvs/deploy/server_folder.h"
#include "fedvs/deploy/utc_time.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::deploy {

inline const std::time_t kNow = std::time(nullptr);
inline const std::vector<std::string> kNames{"hospital-a", "hospital-b", "lab"};

inline Job small_job(int seed = 1) {
  Job job;
  job.data.name = "synthetic";
  job.data.split_seed = seed;
  return job;
}

inline Deployment small_deployment(int seed = 1) {
  return plan_deployment(small_job(seed), kNames, {"study.example.org", 7443}, false,
                         kNow + 30 * kDay)
      .value();
}

class Parties : public testing::Test {
 protected:
  void invite(const std::string& folder = "deploy", int seed = 1) {
    const auto made = deploy(small_deployment(seed), folder_ / folder, kNow);
    ASSERT_TRUE(made) << made.error().message;
  }
  Invitation invitation(const std::string& name, const std::string& folder = "deploy") {
    const auto file = folder_.path() / folder / "invitations" / (name + ".invite");
    return parse_invitation(contents_of(file), file.string()).value();
  }
  Request join_as(const std::string& name, const std::string& folder = "deploy",
                  const std::string& at = "") {
    const auto place = folder_ / (at.empty() ? name : at);
    const auto joined = join(invitation(name, folder), place, kNow).value();
    return parse_request(contents_of(joined.request), "request").value();
  }
  std::vector<Request> join_all() {
    std::vector<Request> requests;
    for (const auto& name : kNames) requests.push_back(join_as(name));
    return requests;
  }
  Result<Admission> admit_now(const std::vector<Request>& requests, AdmissionRules rules = {},
                              std::time_t now = kNow) {
    return admit(server(), requests, rules, now);
  }
  Roster roster() {
    return parse_roster(contents_of(server() / "roster.toml"), "roster.toml").value();
  }
  void whole_dance() {
    invite();
    ASSERT_TRUE(admit_now(join_all()));
    for (const auto& name : kNames) {
      const auto accepted = accept_roster(folder_ / name, roster(), false, kNow);
      ASSERT_TRUE(accepted) << accepted.error().message;
    }
  }
  std::filesystem::path server() const { return folder_.path() / "deploy" / "server"; }

  template <class T>
  static void expect_refused(const Result<T>& result, const std::string& says) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kRefused) << result.error().message;
    EXPECT_THAT(result.error().message, testing::HasSubstr(says));
  }

  ScratchFolder folder_;
};

}  // namespace fedvs::deploy
