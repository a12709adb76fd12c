// The first start of a client whose keys are its own needs the fingerprint that people compared.
#include <nlohmann/json.hpp>

#include "tests/cli/parties_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr int kBadUsageStatus = 2, kNoServer = 4, kRefusedStatus = 5;

class FirstStart : public Parties {
 protected:
  // Nobody listens there: a client that is let off looks for the server and gives up.
  void SetUp() override {
    make_parties("");
    Arguments invite{"init",    "job.toml",         "--dir",
                     "real",    "--server-address", fmt::format("127.0.0.1:{}", free_port()),
                     "--client"};
    Arguments admit{"init", "--admit"};
    for (std::size_t n = 0; n < kClients; ++n) invite.push_back(client_name(n));
    expect_done(invite);
    for (std::size_t n = 0; n < kClients; ++n) {
      const std::string name = client_name(n);
      expect_done({"init", "--join", "real/invitations/" + name + ".invite", "--dir", name});
      admit.push_back(name + "/" + name + ".request");
    }
    expect_done(admit + words("--dir real/server"));
    const Outcome accepted =
        fedvs(words("init --json --accept real/server/roster.toml --dir client-1"));
    print_ = json::parse(accepted.out).at("roster");
  }
  Outcome start_with(const Arguments& more, const std::string& dir = "client-1") {
    return fedvs(
        Arguments{"client", "--dir", dir, "--data", "parties/client-1.csv", "--give-up", "0"} +
        more);
  }
  std::string print_;
};

TEST_F(FirstStart, AsksForTheFingerprintOnceAndRefusesAnother) {
  Outcome started = start_with({});
  EXPECT_EQ(started.status, kBadUsageStatus) << started.err;
  EXPECT_THAT(started.err, HasSubstr(print_));
  EXPECT_THAT(started.err, HasSubstr("Compare it with the other clients on the phone"));
  std::string other = print_;
  other.back() = other.back() == '0' ? '1' : '0';
  started = start_with({"--fingerprint", other});
  EXPECT_EQ(started.status, kRefusedStatus) << started.err;
  EXPECT_THAT(started.err, HasSubstr("do not start"));
  EXPECT_EQ(start_with({}).status, kBadUsageStatus) << "nothing was kept of it";

  EXPECT_EQ(start_with({"--fingerprint", print_}).status, kNoServer);
  EXPECT_EQ(start_with({}).status, kNoServer) << "it is not asked again";
}

TEST_F(FirstStart, MayBeToldWhenTheRosterIsAccepted) {
  expect_refused(
      {"init", "--accept", "real/server/roster.toml", "--dir", "client-2", "--fingerprint", "0123"},
      kBadUsageStatus, {"sixteen groups"});
  expect_done({"init", "--accept", "real/server/roster.toml", "--dir", "client-2", "--fingerprint",
               print_});
  EXPECT_EQ(start_with({}, "client-2").status, kNoServer);
}

TEST_F(FirstStart, OfATrialNeedsNone) {
  EXPECT_EQ(start_with({}, "deploy/client-1").status, kNoServer);
}

}  // namespace
}  // namespace fedvs::cli
