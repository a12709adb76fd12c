// `fedvs init`: from a job to a server and clients that know each other.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

const Arguments kThree = words("--client hospital-a hospital-b lab");
const Arguments kInvite = words("init job.toml --server-address study.example.org:7443") + kThree;

class InitCommand : public Cli {
 protected:
  void SetUp() override { write("job.toml", "[data]\nname = \"synthetic\"\n"); }

  json done(const Arguments& arguments) {
    const Outcome outcome = fedvs(Arguments{"init", "--json"} + arguments);
    EXPECT_EQ(outcome.status, 0) << testing::PrintToString(arguments) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
  void invite() { ASSERT_EQ(fedvs(kInvite).status, 0); }
  void join(const std::string& name) {
    done({"--join", "deploy/invitations/" + name + ".invite", "--dir", name});
  }
  // Where all have joined, been admitted and accepted the roster; in one go, for speed.
  void trial(const std::string& folder) {
    done(words("job.toml --trial --dir " + folder) + kThree);
  }
};

TEST_F(InitCommand, TakesThreeClientsFromTheJobToTheSameRoster) {
  // Given a deployment, and clients that join one by one,
  const json deployed = done(words("job.toml --server-address study.example.org:7443") + kThree);
  EXPECT_EQ(deployed.at("invitations").size(), 3u);
  std::vector<std::string> prints;
  for (const char* name : {"hospital-a", "hospital-b", "lab"}) {
    const json joined = done({"--join", "deploy/invitations/" + std::string(name) + ".invite"});
    EXPECT_EQ(joined.at("folder"), name);
    EXPECT_EQ(joined.at("authority"), deployed.at("authority"));
    EXPECT_EQ(joined.at("job_digest"), deployed.at("job_digest"));
    prints.push_back(joined.at("fingerprint"));
  }
  // When they are admitted in two steps,
  const json first = done(words("--admit lab/lab.request --dir deploy/server"));
  EXPECT_EQ(first.at("missing"), json::array({"hospital-a", "hospital-b"}));
  EXPECT_FALSE(fs::exists(folder_ / "deploy/server/roster.toml"));
  const json second =
      done(words("--admit hospital-a/hospital-a.request "
                 "hospital-b/hospital-b.request --dir deploy/server"));
  EXPECT_TRUE(second.at("missing").empty());
  // Then every client accepts the same roster, with the fingerprints that each has seen at home.
  for (const char* name : {"hospital-a", "hospital-b", "lab"}) {
    const json accepted = done({"--accept", "deploy/server/roster.toml", "--dir", name});
    EXPECT_EQ(accepted.at("roster"), second.at("roster"));
    EXPECT_EQ(accepted.at("trial"), false);
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(accepted.at("clients")[n].at("fingerprint"), prints[n]);
    }
  }
  EXPECT_EQ(text("lab/job.toml"), text("deploy/server/job.toml"));
  EXPECT_THAT(text("lab/job.toml"), HasSubstr("clients = 3"));
}

TEST_F(InitCommand, TellsPeopleWhatToDoNext) {
  Outcome outcome = fedvs(kInvite);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("deploy/invitations/lab.invite"), HasSubstr("--admit"),
                                 HasSubstr("Authority")));
  outcome = fedvs(words("init --join deploy/invitations/lab.invite"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("client 3 of 3"), HasSubstr("Send lab/lab.request"),
                                 HasSubstr("Your keys"), HasSubstr("--accept")));
  outcome = fedvs(words("init --admit lab/lab.request --dir deploy/server"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Admitted lab until"),
                                 HasSubstr("Still missing: hospital-a, hospital-b")));
  join("hospital-a");
  join("hospital-b");
  outcome =
      fedvs(words("init --admit hospital-a/hospital-a.request hospital-b/hospital-b.request "
                  "lab/lab.request --dir deploy/server"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Renewed  lab"), HasSubstr("Admitted hospital-a"),
                                 HasSubstr("Send deploy/server/roster.toml to every client")));
  outcome = fedvs(words("init --accept deploy/server/roster.toml --dir lab"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("hospital-b\n"), HasSubstr("on the phone")));
}

TEST_F(InitCommand, EverybodyHearsOfExposureAndAbsenceBeforeGoingOn) {
  const auto tells =
      AllOf(HasSubstr("Exposure: every row is opened"), HasSubstr("the 2 narrowest clients have"),
            HasSubstr("necessary, not sufficient"), HasSubstr("Away: 0 of 3"),
            HasSubstr("NO client learns"), HasSubstr("fedvs plan --job"));
  EXPECT_THAT(fedvs(kInvite).out, tells);
  EXPECT_THAT(fedvs(words("init --join deploy/invitations/lab.invite")).out, tells);
  const json joined = done(words("--join deploy/invitations/hospital-a.invite"));
  EXPECT_EQ(joined.at("one_group"), true);
  EXPECT_EQ(joined.at("may_be_away_for_long"), 0);
  EXPECT_THAT(joined.at("exposure"), HasSubstr("limit of 0.2"));
  // What it says to run, runs.
  EXPECT_EQ(fedvs(words("plan --job lab/job.toml --rows 100 --columns 3,4,5 --classes 2")).status,
            0);
}

TEST_F(InitCommand, MakesATrialInOneGo) {
  const json named = done(words("job.toml --trial --dir here") + kThree);
  EXPECT_EQ(named.at("trial"), true);
  EXPECT_EQ(named.at("server_address"), "127.0.0.1:7443");
  EXPECT_THAT(text("here/lab/roster.toml"), HasSubstr("trial = true"));
  EXPECT_EQ(text("here/lab/roster.toml"), text("here/server/roster.toml"));
  const json numbered = done(words("job.toml --trial --dir five --set data.clients=5"));
  EXPECT_EQ(numbered.at("clients").size(), 5u);
  EXPECT_TRUE(fs::exists(folder_ / "five/client-5/tls.key"));
}

TEST_F(InitCommand, ATrialOffThisMachineIsRefused) {
  expect_refused(words("init job.toml --trial --server-address study.example.org:1") + kThree, 2,
                 {"stays on this machine", "study.example.org:1"});
  expect_refused(words("init job.toml --trial --server-address 0.0.0.0:7443") + kThree, 2,
                 {"stays on this machine"});
}

TEST_F(InitCommand, FoldersThatExistAreLeftAlone) {
  invite();
  expect_refused(kInvite, 5, {"deploy exists already", "--dir"});
  expect_refused(words("init job.toml --trial") + kThree, 5, {"deploy exists already"});
  join("lab");
  expect_refused(words("init --join deploy/invitations/lab.invite"), 5, {"lab exists already"});
}

TEST_F(InitCommand, BadNamesAreRefused) {
  const Arguments start = words("init job.toml --server-address lab:1 --client a b");
  for (const char* name : {"../c", "", "server"}) {
    expect_refused(start + Arguments{name}, 2, {"client name"});
  }
  expect_refused(start + Arguments{"B"}, 2, {"\"b\" and \"B\""});
}

TEST_F(InitCommand, BadJobsAndAddressesAreRefusedBeforeAnythingIsMade) {
  expect_refused(kInvite + words("--set data.clients=4"), 2, {"3 clients", "data.clients = 4"});
  expect_refused(kInvite + words("--set method=wait"), 2, {"method = \"wait\""});
  expect_refused(kInvite + words("--set code.T=2"), 2, {"N = 3"});
  expect_refused(kInvite + words("--set train.epcohs=4"), 2, {"did you mean train.epochs"});
  expect_refused(words("init none.toml --server-address lab:1") + kThree, 1, {"none.toml"});
  expect_refused(words("init job.toml") + kThree, 2, {"--server-address"});
  expect_refused(words("init job.toml --server-address lab:0") + kThree, 2, {"port"});
  expect_refused(words("init job.toml --server-address lab") + kThree, 2, {"no port"});
  expect_refused(words("init job.toml --server-address lab:1"), 2, {"--client NAME"});
}

TEST_F(InitCommand, StepsExcludeEachOther) {
  expect_refused(words("init"), 2, {"what shall be done"});
  expect_refused(words("init job.toml --join x"), 2, {"--join"});
  expect_refused(words("init --admit x --accept y --dir z"), 2, {"--accept"});
  expect_refused(words("init --admit x"), 2, {"--dir deploy/server"});
  expect_refused(words("init --accept x"), 2, {"--dir"});
  expect_refused(words("init --admit x --dir y --days 0"), 2, {"--days"});
}

TEST_F(InitCommand, RequestsThatAreNotRightAreRefused) {
  invite();
  join("lab");
  const Arguments admit = words("init --dir deploy/server --admit");
  // Altered: one digit of the sealing key,
  std::string request = text("lab/lab.request");
  char& digit = request[request.find("sealing_key = \"") + 15];
  digit = digit == 'a' ? 'b' : 'a';
  write("altered.request", request);
  expect_refused(admit + words("altered.request"), 5, {"altered.request", "changed after lab"});
  // for another job,
  done(words("job.toml --trial --dir other --set data.split_seed=2") + kThree);
  expect_refused(admit + words("other/lab/lab.request"), 5, {"another job"});
  // another kind of file, none at all, and a good one beside a bad one.
  expect_refused(admit + words("deploy/server/deployment.toml"), 5, {"this is deployment 1"});
  expect_refused(admit + words("none.request"), 1, {"none.request"});
  expect_refused(admit + words("lab/lab.request altered.request"), 5, {"changed after lab"});
  expect_refused(words("init --dir lab --admit lab/lab.request"), 1, {"not a server's folder"});
}

TEST_F(InitCommand, RostersOfAnotherAuthorityAreRefused) {
  trial("here");
  trial("other");
  expect_refused(words("init --accept other/server/roster.toml --dir here/lab"), 5,
                 {"another authority"});
  expect_refused(words("init --accept job.toml --dir here/lab"), 5, {"no file of FedVS"});
}

TEST_F(InitCommand, KeyFilesThatOthersCanReadAreRefused) {
  trial("here");
  fs::permissions(folder_ / "here/lab/sealing.key", fs::perms::others_read, fs::perm_options::add);
  expect_refused(words("init --accept here/server/roster.toml --dir here/lab"), 5,
                 {"chmod 600 here/lab/sealing.key"});
  fs::permissions(folder_ / "here/server/authority.key", fs::perms::group_read,
                  fs::perm_options::add);
  expect_refused(words("init --admit here/lab/lab.request --dir here/server"), 5,
                 {"chmod 600 here/server/authority.key"});
}

TEST_F(InitCommand, NewKeysUnderAnOldNameNeedReplace) {
  trial("here");
  done(words("--join here/lab/invitation.toml --dir lab2"));
  expect_refused(words("init --admit lab2/lab.request --dir here/server"), 5,
                 {"admitted with other keys", "--replace"});
  done(words("--admit lab2/lab.request --dir here/server --replace"));
  expect_refused(words("init --accept here/server/roster.toml --dir here/hospital-a"), 5,
                 {"for lab", "--replace"});
  const json accepted =
      done(words("--accept here/server/roster.toml --dir here/hospital-a --replace"));
  EXPECT_EQ(accepted.at("replaced"), json::array({"lab"}));
}

TEST_F(InitCommand, ErrorsAreJsonToo) {
  const Outcome outcome = fedvs(words("init --json --accept none.toml --dir lab"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(json::parse(outcome.out).at("error"), HasSubstr("none.toml"));
}

TEST_F(InitCommand, ShowsAnExample) {
  const Outcome outcome = fedvs(words("init --help"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Examples"), HasSubstr("--accept roster.toml")));
}

}  // namespace
}  // namespace fedvs::cli
