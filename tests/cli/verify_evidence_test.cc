// `fedvs verify-evidence` on evidence against the server of a deployment, signed with its own key,
// as a client writes it; and on what only looks like it.
#include <ctime>
#include <nlohmann/json.hpp>

#include "fedvs/deploy/server_folder.h"
#include "fedvs/party/evidence.h"
#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using protocol::link_after;
using protocol::signed_text;
using protocol::SignedHead;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kUnreadable = 1, kProvesNothing = 5;

Digest digest(std::string_view name) { return Hasher().add(name).finish(); }

class VerifyEvidence : public Cli {
 protected:
  static constexpr const char* kRoster = "deploy/server/roster.toml";

  void SetUp() override {
    write("job.toml", "[data]\nname = \"parties\"\nclients = 3\n");
    deploy("deploy");
  }
  void deploy(const std::string& folder) {
    const Outcome made = fedvs({"init", "job.toml", "--trial", "--dir", folder});
    ASSERT_EQ(made.status, 0) << made.err;
  }
  seal::SigningKey servers_key() const {
    return deploy::load_server_folder(folder_ / "deploy/server", std::time(nullptr))
        .value()
        .signing;
  }
  SignedHead head(const seal::SigningKey& key, std::uint64_t index, const Digest& link) const {
    return {index, link, key.sign(signed_text(run_, index, link))};
  }
  // Plan 41 was shown to client-1 as another than to client-3, and plan 42 followed.
  party::Evidence evidence(const seal::SigningKey& key) const {
    const Digest before = digest("forty plans"), next = digest("42");
    const Digest own = link_after(before, 41, digest("own 41"));
    return {.proof = {.run = run_,
                      .other = head(key, 41, link_after(before, 41, digest("other 41"))),
                      .own_link = own,
                      .contents = {next},
                      .own = head(key, 42, link_after(own, 42, next)),
                      .heard_from = 2},
            .server_key = key.public_key,
            .server = "127.0.0.1:7443",
            .seen_by = "client-1",
            .heard_from = "client-3"};
  }
  // The file as client-1 would keep it.
  std::string keep(const party::Evidence& evidence) const {
    return party::keep_evidence(folder_ / "deploy/client-1", evidence).value().string();
  }
  Outcome verify(const std::string& file, const Arguments& more = {"--roster", kRoster}) {
    return fedvs(Arguments{"verify-evidence", file} + more);
  }
  void expect_worthless(const std::string& text, const std::string& why,
                        int status = kProvesNothing) {
    write("changed.json", text);
    const Outcome outcome = verify("changed.json");
    EXPECT_EQ(outcome.status, status) << outcome.out;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("changed.json"), HasSubstr(why))) << text;
    EXPECT_EQ(outcome.out, "");
  }
  const Digest run_ = digest("run");
};

TEST_F(VerifyEvidence, SaysWhatRightEvidenceProvesAndAgainstWhom) {
  const auto key = servers_key();
  const std::string file = keep(evidence(key));
  EXPECT_THAT(file, HasSubstr("deploy/client-1/evidence-41.json"));
  const Outcome outcome = verify(file);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("proven: the holder of key " + to_hex(key.public_key)),
                    HasSubstr("signed two different plans 41"), HasSubstr("of run " + to_hex(run_)),
                    HasSubstr(std::string("that key is the server's of ") + kRoster)));
  // Without a roster it does not say whose key it is.
  const Outcome nobodys = verify(file, {});
  EXPECT_EQ(nobodys.status, 0) << nobodys.err;
  EXPECT_THAT(nobodys.out,
              AllOf(HasSubstr("proven: the holder of key"),
                    HasSubstr("whether that key is the server's"), HasSubstr("--roster")));
}

TEST_F(VerifyEvidence, OneChangedDigitProvesNothing) {
  const json whole = json::parse(party::print_evidence(evidence(servers_key())));
  const auto changed = [&](const json::json_pointer& where) {
    json other = whole;
    auto digits = other[where].get<std::string>();
    digits.back() = digits.back() == '0' ? '1' : '0';
    other[where] = digits;
    return other.dump(2);
  };
  using namespace nlohmann::literals;
  expect_worthless(changed("/other/signature"_json_pointer),
                   "proves nothing: the signature of head 41 is not this server's");
  expect_worthless(changed("/own_link"_json_pointer),
                   "the contents do not lead from one head to the other");
  expect_worthless(changed("/run"_json_pointer), "the signature of head 42");
  expect_worthless(changed("/server_key"_json_pointer), "the signature of head 42");
}

TEST_F(VerifyEvidence, OneHeadTwiceProvesNothing) {
  json same = json::parse(party::print_evidence(evidence(servers_key())));
  same["other"] = same["own"];
  same["own_link"] = same["own"]["link"];
  same["headers"] = json::array();
  expect_worthless(same.dump(2), "proves nothing: both are the same chain");
}

TEST_F(VerifyEvidence, AnybodyCanSignTwoPlansSoTheKeyMustBeTheRosters) {
  const auto forger = seal::SigningKey::generate();
  const std::string file = keep(evidence(forger));
  EXPECT_EQ(verify(file, {}).status, 0);  // of its own key it is right
  const Outcome outcome = verify(file);
  EXPECT_EQ(outcome.status, kProvesNothing);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(std::string("another server than that of ") + kRoster),
                                 HasSubstr(to_hex(forger.public_key))));
  EXPECT_EQ(outcome.out, "");
  deploy("elsewhere");
  // Nor is right evidence any against the server of another deployment.
  const std::string right = keep(evidence(servers_key()));
  EXPECT_EQ(verify(right, {"--roster", "elsewhere/server/roster.toml"}).status, kProvesNothing);
}

TEST_F(VerifyEvidence, OtherFilesAreNoEvidence) {
  const std::string whole = party::print_evidence(evidence(servers_key()));
  expect_worthless(whole.substr(0, whole.size() / 2), "is no evidence-N.json", kUnreadable);
  json lacking = json::parse(whole);
  lacking["own"].erase("signature");
  expect_worthless(lacking.dump(), "\"signature\" is missing", kUnreadable);
  const Outcome nowhere = verify("nowhere.json");
  EXPECT_EQ(nowhere.status, kUnreadable);
  EXPECT_THAT(nowhere.err, HasSubstr("nowhere.json"));
}

}  // namespace
}  // namespace fedvs::cli
