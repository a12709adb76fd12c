// A client that has refused for its data's sake, as a process: it says why and what to do, however
// often it is started, and takes part again only on its operator's word.
#include "fedvs/party/refused.h"
#include "tests/cli/parties_fixture.h"

namespace fedvs::cli {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int kRefusedStatus = 5;
constexpr std::size_t kRefuser = 2;

class TakePartAgain : public Parties {
 protected:
  void SetUp() override {
    make_parties("[train]\nepochs = 1\nbatch_size = 100\n");
    note_ = client_folder(kRefuser) + "/refused.json";
    ASSERT_TRUE(party::note_refused(client_folder(kRefuser),
                                    {.reason = "the server has signed two different plans 41",
                                     .revision = 40,
                                     .at = 0,
                                     .evidence = path("deploy/client-3/evidence-41.json")}));
    noted_ = contents_of(note_);
  }
  Arguments client_arguments() const {
    return {"client", "--dir", client_folder(kRefuser), "--data", path("parties/client-3.csv")};
  }
  std::vector<fs::path> notes_set_aside() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(client_folder(kRefuser))) {
      if (entry.path().filename().string().starts_with("refused-")) found.push_back(entry.path());
    }
    return found;
  }
  std::string note_, noted_;
};

TEST_F(TakePartAgain, AClientThatHasRefusedDoesNotStartAndSaysWhatToDo) {
  for (int i = 0; i < 2; ++i) {
    expect_refused(client_arguments(), kRefusedStatus,
                   {"the server has signed two different plans 41 (on 1970-01-01",
                    "evidence-41.json", note_, "docs/deploy.md", "--take-part-again"});
  }
  // Not even if the note is damaged.
  put(note_, noted_.substr(0, 10));
  expect_refused(client_arguments(), kRefusedStatus,
                 {"for a reason that cannot be read", note_, "--take-part-again"});
}

TEST_F(TakePartAgain, ItsOperatorsWordIsKeptWithTheReasonAndTheRunIsTrained) {
  const auto server = start("server", {"server", "--dir", path("deploy/server"), "--labels",
                                       path("parties/labels.csv"), "--wait", "300"});
  Programs clients;
  for (std::size_t n = 0; n < kClients; ++n) {
    const Arguments word = n == kRefuser ? Arguments{"--take-part-again"} : Arguments{};
    clients.push_back(start_client(n, "parties", word));
  }
  const Outcome ended = server->wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
  for (const auto& client : clients) {
    const Outcome left = client->wait();
    EXPECT_EQ(left.status, 0) << left.err;
  }
  EXPECT_THAT(said_by("client-3"), HasSubstr("takes part again, on its operator's word"));
  EXPECT_FALSE(fs::exists(note_));
  const auto aside = notes_set_aside();
  ASSERT_EQ(aside.size(), 1u);
  EXPECT_EQ(contents_of(aside[0]), noted_);
}

}  // namespace
}  // namespace fedvs::cli
