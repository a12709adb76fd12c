// The whole way from a deployment to parties that are ready to start, and every wrong turn.
#include <map>
#include <set>

#include "fedvs/base/files.h"
#include "fedvs/deploy/hex.h"
#include "fedvs/deploy/trial.h"
#include "fedvs/net/seal/sealer.h"
#include "tests/deploy/openssl_command.h"
#include "tests/deploy/parties.h"

namespace fedvs::deploy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

class Folders : public Parties {};

TEST_F(Folders, EverybodyIsReadyAfterTheWholeDance) {
  whole_dance();
  const auto s = load_server_folder(server(), kNow).value();
  EXPECT_EQ(s.roster.clients.size(), 3u);
  std::vector<ClientFolder> clients;
  for (const auto& name : kNames) {
    clients.push_back(load_client_folder(folder_ / name, kNow).value());
    EXPECT_EQ(clients.back().name, name);
    EXPECT_EQ(fingerprint(clients.back().roster), fingerprint(s.roster));
    EXPECT_EQ(clients.back().job_digest, s.job_digest);
    EXPECT_EQ(clients.back().authority_pem, s.authority_pem);
    EXPECT_EQ(identify(s.roster, clients.back().certificate_pem, kNow).value(),
              clients.back().number);
  }
  // Keys of the roster work between the clients' folders.
  const auto& [a, b] = std::tie(clients[0], clients[1]);
  const auto at_a = seal::KeyPair::generate(), at_b = seal::KeyPair::generate();
  const auto seal = seal::Sealer::between({}, {a.sealing, at_a, {}},
                                          {b.roster.clients[1].sealing_key, at_b.public_key, {}});
  const auto open = seal::Sealer::between({}, {b.sealing, at_b, {}},
                                          {a.roster.clients[0].sealing_key, at_a.public_key, {}});
  EXPECT_EQ(open.value().open({}, seal.value().seal({}, "text")).value().view(), "text");
  EXPECT_FALSE(a.data_key == b.data_key);
}

TEST_F(Folders, CertificatesAreVerifiedByOpenssl) {
  whole_dance();
  const auto verify = [&](const std::string& pem, const std::string& purpose) {
    put(folder_ / "a.crt", pem);
    return openssl({"verify", "-x509_strict", "-purpose", purpose, "-CAfile",
                    server() / "authority.crt", folder_ / "a.crt"});
  };
  for (const auto& client : roster().clients) {
    const Said said = verify(client.certificate.pem(), "sslclient");
    EXPECT_EQ(said.status, 0) << said.text;
  }
  EXPECT_EQ(verify(contents_of(server() / "server.crt"), "sslserver").status, 0);
}

TEST_F(Folders, SecretsAreTheirOwnersAloneAndInNoFileThatIsSent) {
  whole_dance();
  std::vector<fs::path> keys;
  std::map<fs::path, std::string> sent;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    if (!entry.is_regular_file()) continue;
    if (entry.path().extension() == ".key") {
      keys.push_back(entry.path());
    } else {
      sent[entry.path()] = contents_of(entry.path());
    }
  }
  EXPECT_EQ(keys.size(), 3u + 3 * 3);
  for (const auto& key : keys) {
    EXPECT_EQ(fs::status(key).permissions(), fs::perms::owner_read | fs::perms::owner_write) << key;
    const std::string text = contents_of(key);
    const std::string part = text.substr(text.find("KEY-----\n") + 9, 40);
    const std::string secret = text.starts_with("-----") ? part : text.substr(0, 40);
    for (const auto& [path, contents] : sent) {
      EXPECT_THAT(contents, testing::Not(HasSubstr(secret))) << path;
    }
  }
}

TEST_F(Folders, AdmissionsAddUpUntilAllAreThere) {
  invite();
  const auto requests = join_all();
  const auto first = admit_now({requests[2]}).value();
  EXPECT_THAT(first.missing, ElementsAre("hospital-a", "hospital-b"));
  EXPECT_FALSE(first.roster);
  EXPECT_FALSE(fs::exists(server() / "roster.toml"));
  const auto early = load_server_folder(server(), kNow);
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().message, HasSubstr("no roster yet"));
  const auto last = admit_now({requests[0], requests[1]}).value();
  EXPECT_THAT(last.missing, IsEmpty());
  EXPECT_EQ(fingerprint(last.roster.value()), fingerprint(roster()));
  EXPECT_EQ(last.admitted.at(1).fingerprint, requests[1].fingerprint());
}

TEST_F(Folders, RequestsThatWereChangedAreRefused) {
  invite();
  join_as("lab");
  const std::string text = contents_of(folder_ / "lab/lab.request");
  const auto with = [&](const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return parse_request(std::string(text).replace(at, from.size(), to), "lab.request");
  };
  const auto own = parse_request(text, "x").value();
  expect_refused(with(to_hex(own.sealing_key), to_hex(seal::KeyPair::generate().public_key)),
                 "changed after lab signed it");
  expect_refused(with(to_hex(own.job_digest), std::string(64, 'a')), "changed");
  expect_refused(with(to_hex(own.authority), std::string(64, 'a')), "changed");
  expect_refused(with("name = \"lab\"", "name = \"hospital-a\""), "signing request");
  const auto other = SigningRequest::make(PrivateKey::generate(), "lab");
  expect_refused(with(own.tls.pem(), other.pem()), "changed");
  expect_refused(with("fedvs = \"request 1\"", "fedvs = \"roster 1\""), "this is roster 1");
}

TEST_F(Folders, RequestsForAnotherJobOrAuthorityOrFromStrangersAreRefused) {
  invite();
  invite("other-job", 2);
  invite("same-job");
  expect_refused(admit_now({join_as("lab", "other-job", "x")}), "another job");
  expect_refused(admit_now({join_as("lab", "same-job", "y")}), "another authority's invitation");
  const auto stranger = PrivateKey::generate();
  Request request = join_as("lab");
  request.name = "stranger";
  expect_refused(admit_now({request}), "nobody of that name is invited");
  EXPECT_TRUE(fs::is_empty(server() / "admitted"));
}

TEST_F(Folders, OneBadRequestAdmitsNobody) {
  invite();
  invite("other-job", 2);
  const auto good = join_as("hospital-a");
  expect_refused(admit_now({good, join_as("lab", "other-job", "x")}), "another job");
  expect_refused(admit_now({good, good}), "two requests of hospital-a");
  EXPECT_TRUE(fs::is_empty(server() / "admitted"));
}

TEST_F(Folders, NobodyIsAdmittedAfterTheInvitationHasExpired) {
  invite();
  const auto requests = join_all();
  ASSERT_TRUE(admit_now({requests[0]}));
  expect_refused(admit_now({requests[1]}, {}, kNow + 31 * kDay), "too late");
  // But who is there already is renewed.
  EXPECT_TRUE(admit_now({requests[0]}, {}, kNow + 31 * kDay).value().admitted.at(0).renewed);
}

TEST_F(Folders, OtherKeysUnderAnAdmittedNameNeedReplace) {
  whole_dance();
  const auto before = fingerprint(roster());
  const auto again = join_as("lab", "deploy", "lab-again");
  expect_refused(admit_now({again}), "was admitted with other keys");
  EXPECT_EQ(fingerprint(roster()), before);
  ASSERT_TRUE(admit_now({again}, {.replace = true}));
  // Then the folder with the old keys is out,
  expect_refused(accept_roster(folder_ / "lab", roster(), true, kNow), "other keys for lab");
  // and the others are told whose keys have changed.
  expect_refused(accept_roster(folder_ / "hospital-a", roster(), false, kNow), "for lab");
  const auto accepted = accept_roster(folder_ / "hospital-a", roster(), true, kNow).value();
  EXPECT_THAT(accepted.changed, ElementsAre("lab"));
}

TEST_F(Folders, TwoClientsWithOneKeyAreRefused) {
  invite();
  auto a = join_as("hospital-a"), b = join_as("hospital-b");
  b.sealing_key = a.sealing_key;
  expect_refused(admit_now({a, b}), "have the same key");
  EXPECT_TRUE(fs::is_empty(server() / "admitted"));
}

TEST_F(Folders, RenewalKeepsKeysAndNeedsNoReplace) {
  invite();
  const auto requests = join_all();
  ASSERT_TRUE(admit_now(requests, {.days = 10}));
  for (const auto& name : kNames) {
    ASSERT_TRUE(accept_roster(folder_ / name, roster(), false, kNow));
  }
  const auto later = kNow + 11 * kDay;
  expect_refused(load_client_folder(folder_ / "lab", later), "lab's certificate expired");
  expect_refused(accept_roster(folder_ / "lab", roster(), false, later), "expired");
  ASSERT_TRUE(admit_now(requests, {}, later));
  const auto accepted = accept_roster(folder_ / "lab", roster(), false, later).value();
  EXPECT_THAT(accepted.changed, IsEmpty());
  EXPECT_TRUE(load_client_folder(folder_ / "lab", later));
}

TEST_F(Folders, CertificatesDoNotOutliveTheAuthority) {
  invite();
  const auto admitted = admit_now({join_as("lab")}, {.days = 100 * 365}).value().admitted.at(0);
  EXPECT_EQ(admitted.expires, load_authority(server())->certificate.expires());
}

TEST_F(Folders, RostersOfOthersAreNotAccepted) {
  whole_dance();
  fs::rename(folder_ / "deploy", folder_ / "first");
  for (const auto& name : kNames) fs::rename(folder_ / name, folder_ / ("first-" + name));
  // Given another deployment of the same job, with other keys and another authority,
  whole_dance();
  expect_refused(accept_roster(folder_ / "first-lab", roster(), false, kNow), "another authority");
}

TEST_F(Folders, RostersWithSomebodyElsesKeysUnderOnesNameAreNotAccepted) {
  invite();
  auto requests = join_all();
  requests[2] = join_as("lab", "deploy", "intruder");
  ASSERT_TRUE(admit_now(requests));
  expect_refused(accept_roster(folder_ / "lab", roster(), false, kNow), "other keys for lab");
  EXPECT_FALSE(fs::exists(folder_ / "lab/roster.toml"));
}

TEST_F(Folders, RostersForAnotherJobOrOtherClientsAreNotAccepted) {
  whole_dance();
  const auto authority = load_authority(server()).value();
  Roster other_job = roster(), fewer = roster();
  other_job.job_digest[0] ^= 1;
  fewer.clients.pop_back();
  sign(other_job, authority.key);
  sign(fewer, authority.key);
  expect_refused(accept_roster(folder_ / "lab", other_job, true, kNow), "for job");
  expect_refused(accept_roster(folder_ / "hospital-a", fewer, true, kNow), "other clients");
}

TEST_F(Folders, KeysThatOthersCanReadAreRefused) {
  whole_dance();
  const auto open = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read;
  for (const char* name : {"tls.key", "sealing.key", "data.key"}) {
    const auto file = folder_.path() / "lab" / name;
    fs::permissions(file, open);
    expect_refused(load_client_folder(folder_ / "lab", kNow), "chmod 600 " + file.string());
    fs::permissions(file, fs::perms::group_read, fs::perm_options::remove);
  }
  fs::permissions(server() / "server.key", open);
  expect_refused(load_server_folder(server(), kNow), "chmod 600");
  fs::permissions(server() / "authority.key", open);
  expect_refused(admit_now({}), "chmod 600");
}

TEST_F(Folders, KeysOfOthersAreRefused) {
  whole_dance();
  fs::copy_file(server() / "authority.key", server() / "server.key",
                fs::copy_options::overwrite_existing);
  expect_refused(load_server_folder(server(), kNow), "not the key of the certificate");
  fs::copy_file(folder_ / "lab/sealing.key", folder_ / "hospital-a/sealing.key",
                fs::copy_options::overwrite_existing);
  expect_refused(load_client_folder(folder_ / "hospital-a", kNow), "other keys for hospital-a");
}

TEST_F(Folders, AJobThatWasChangedUnderTheRosterIsRefused) {
  whole_dance();
  std::string job = contents_of(server() / "job.toml");
  job.replace(job.find("split_seed = 1"), 14, "split_seed = 2");
  put(server() / "job.toml", job);
  expect_refused(load_server_folder(server(), kNow), "another job than job.toml");
}

TEST_F(Folders, TheServersCertificateExpiresAsWell) {
  whole_dance();
  expect_refused(load_server_folder(server(), kNow + 3651 * kDay), "the server's certificate");
}

TEST_F(Folders, AreNeverOverwritten) {
  whole_dance();
  expect_refused(deploy(small_deployment(), folder_ / "deploy", kNow), "exists already");
  expect_refused(join(invitation("lab"), folder_ / "lab", kNow), "exists already");
}

TEST_F(Folders, ThatAreNoneAreNamed) {
  const auto no_server = load_server_folder(folder_.path(), kNow);
  ASSERT_FALSE(no_server);
  EXPECT_THAT(no_server.error().message, HasSubstr("is not a server's folder"));
  const auto no_client = load_client_folder(folder_.path(), kNow);
  ASSERT_FALSE(no_client);
  EXPECT_THAT(no_client.error().message, HasSubstr("is not a client's folder"));
  invite();
  join_as("lab");
  const auto early = load_client_folder(folder_ / "lab", kNow);
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().message, HasSubstr("lab has no roster yet"));
}

TEST_F(Folders, AHalfAdmittedClientIsAdmittedAgain) {
  invite();
  const auto requests = join_all();
  ASSERT_TRUE(admit_now(requests));
  // Given a crash between the two files of a client,
  fs::remove(server() / "admitted/lab.request");
  EXPECT_THAT(admit_now({requests[0]}).value().missing, ElementsAre("lab"));
  EXPECT_TRUE(admit_now({requests[2]}).value().roster);
}

TEST_F(Folders, TrialsAreReadyAtOnceAndSaySo) {
  const auto plan =
      plan_deployment(small_job(), kNames, {"127.0.0.1", 0}, true, kNow + kDay).value();
  const auto trial = deploy_trial(plan, folder_ / "trial", 30, kNow).value();
  const auto s = load_server_folder(trial.server, kNow).value();
  EXPECT_TRUE(s.roster.trial);
  ASSERT_EQ(trial.clients.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    const auto client = load_client_folder(trial.clients[n], kNow).value();
    EXPECT_EQ(client.number, static_cast<int>(n));
    EXPECT_TRUE(client.roster.trial);
  }
  EXPECT_FALSE(check_trial(s.roster, {"0.0.0.0", 7443}));
  expect_refused(deploy_trial(plan, folder_ / "trial", 30, kNow), "exists already");
}

}  // namespace
}  // namespace fedvs::deploy
