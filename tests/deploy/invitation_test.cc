#include "fedvs/deploy/invitation.h"

#include "fedvs/job/print.h"
#include "tests/deploy/parties.h"

namespace fedvs::deploy {
namespace {

using testing::HasSubstr;

class Invitations : public Parties {
 protected:
  void SetUp() override {
    invite();
    text_ = contents_of(folder_ / "deploy/invitations/lab.invite");
  }
  std::string with(const std::string& from, const std::string& to) const {
    const auto at = text_.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return std::string(text_).replace(at, from.size(), to);
  }
  std::string text_;
};

TEST_F(Invitations, CarryTheWholeJobAndWhoIsInvited) {
  const auto lab = parse_invitation(text_, "lab.invite").value();
  EXPECT_EQ(lab.name, "lab");
  EXPECT_EQ(lab.number(), 2);
  EXPECT_EQ(lab.clients, kNames);
  EXPECT_EQ(lab.server.text(), "study.example.org:7443");
  EXPECT_EQ(lab.expires, kNow + 30 * kDay);
  EXPECT_EQ(print_job(lab.job), contents_of(server() / "job.toml"));
  EXPECT_EQ(lab.job.data.clients, 3);
  EXPECT_EQ(lab.job_digest, job_digest(lab.job));
}

TEST_F(Invitations, ThatWereChangedAreRefused) {
  expect_refused(parse_invitation(with("study.example.org", "evil.example.org"), "x"), "changed");
  expect_refused(parse_invitation(with("name = \"lab\"", "name = \"hospital-a\""), "x"), "changed");
  expect_refused(parse_invitation(with("split_seed = 1", "split_seed = 2"), "x"), "the job in it");
  expect_refused(parse_invitation(with("expires = \"2", "expires = \"3"), "x"), "changed");
  const auto cut = parse_invitation(text_.substr(0, text_.size() / 2), "x");
  EXPECT_FALSE(cut);
}

TEST_F(Invitations, ThatContradictThemselvesAreRefused) {
  expect_refused(parse_invitation(with("name = \"lab\"", "name = \"nobody\""), "x"),
                 "not among the clients");
  expect_refused(parse_invitation("method = \"fedvs\"\n", "x"), "no [invitation]");
  EXPECT_FALSE(parse_invitation(with("\"lab\"]", "\"hospital-a\"]"), "x"));
}

TEST_F(Invitations, CommentsAndLineEndsDoNotMatter) {
  EXPECT_TRUE(parse_invitation("# forwarded\n" + text_ + "# bye\n", "x"));
}

TEST_F(Invitations, Expire) {
  const auto lab = invitation("lab");
  EXPECT_TRUE(check_expiry(lab, lab.expires));
  expect_refused(check_expiry(lab, lab.expires + 1), "expired on");
  expect_refused(join(lab, folder_ / "late", lab.expires + 1), "expired on");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "late"));
}

TEST(Deployments, AreCheckedBeforeAnythingIsMade) {
  const Address there{"study.example.org", 7443}, here{"127.0.0.1", 0};
  const auto planned = [](Job job, std::vector<std::string> names, Address address, bool trial) {
    const auto plan = plan_deployment(std::move(job), std::move(names), address, trial, kNow);
    return plan ? std::string("fine") : plan.error().message;
  };
  Job four = small_job();
  four.data.clients = 4;
  EXPECT_EQ(planned(small_job(), kNames, there, false), "fine");
  EXPECT_EQ(planned(small_job(), kNames, here, true), "fine");
  EXPECT_THAT(planned(four, kNames, there, false), HasSubstr("3 clients are named"));
  EXPECT_THAT(planned(small_job(), {"a", "../b"}, there, false), HasSubstr("../b"));
  EXPECT_THAT(planned(small_job(), kNames, {"study.example.org", 0}, false), HasSubstr("port"));
  EXPECT_THAT(planned(small_job(), kNames, there, true), HasSubstr("stays on this machine"));
}

}  // namespace
}  // namespace fedvs::deploy
