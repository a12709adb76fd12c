// Jobs that cannot work: each ends at once, says what, where and what to do, and writes nothing.
#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

class BadJob : public Cli {
 protected:
  // Eight clients, T = 1.
  void refuses(const Arguments& more, const std::vector<std::string>& says) {
    expect_refused(Arguments{"train", "--data", "synthetic", "--out", "run"} + more,
                   /*status=*/2, says);
  }
};

TEST_F(BadJob, NamesTheClientsThatTooManySegmentsWouldNeed) {
  refuses({"--set", "code.K=100"},
          {"K = 100", "R = 2(K+T-1)+1 = 201", "N = 8", "at least 201 clients", "lower K to 3"});
  refuses({"--set", "code.K=4"}, {"R = 2(K+T-1)+1 = 9", "N = 8", "lower K to 3"});
}

TEST_F(BadJob, NamesTheClientsThatTooManyColludersWouldNeed) {
  refuses({"--colluding", "4"}, {"T = 4", "R = 2(K+T-1)+1 = 9", "N = 8", "at least 9 clients"});
  refuses({"--clients", "2"}, {"N = 2", "at least 3 clients"});
}

TEST_F(BadJob, CountsOfZeroOrLessAreRefused) {
  refuses({"--set", "code.T=0"}, {"code.T = 0", "at least 1"});
  refuses({"--colluding", "-1"}, {"code.T = -1", "at least 1"});
  refuses({"--set", "code.K=0"}, {"code.K = 0", "at least 1 or \"auto\""});
  refuses({"--set", "data.clients=0"}, {"data.clients = 0", "at least 1"});
  refuses({"--set", "code.K=-1"}, {"code.K = -1", "at least 1 or \"auto\""});
  refuses({"--clients", "0"}, {"--clients", "0 not in range"});
  refuses({"--set", "data.clients=-3"}, {"data.clients = -3", "at least 1"});
  refuses({"--epochs", "0"}, {"train.epochs = 0", "at least 1"});
}

TEST_F(BadJob, CountsBeyondReasonAreRefused) {
  refuses({"--clients", "100000"}, {"--clients", "100000 not in range"});
  refuses({"--clients", "5000"}, {"data.clients = 5000", "32 feature columns", "32 or fewer"});
  refuses({"--set", "code.K=1000000000"}, {"K = 1000000000", "choose 1 to"});
  refuses({"--set", "code.K=99999999999"}, {"code.K = 99999999999", "at most"});
}

TEST_F(BadJob, MoreFeatureBitsThanAreExactAreRefused) {
  refuses({"--set", "code.l_x=30"}, {"code.l_x = 30", "l_x may be 22 at the most"});
}

TEST_F(BadJob, MorePartiesThanARingHasPointsNamesTheRingThatWouldDo) {
  refuses({"--clients", "300", "--set", "data.features=300"},
          {"N + K + T = 300 + ", "ring rns4 has only 233", "ring m31"});
}

TEST_F(BadJob, UnknownNamesAreAnsweredWithTheNearest) {
  refuses({"--set", "train.epoch=3"}, {"unknown key train.epoch", "did you mean train.epochs?"});
  refuses({"--method", "fedv"}, {"method = fedv", "did you mean \"fedvs\"?"});
  expect_refused({"train", "--data", "syntetic", "--out", "run"}, 2,
                 {"\"syntetic\" does not exist", "did you mean \"synthetic\"?"});
}

TEST_F(BadJob, AnUnknownKeyInAFileIsGivenWithItsLine) {
  write("job.toml", "[data]\nname = \"synthetic\"\n\n[train]\nbatchsize = 20\n");
  expect_refused({"train", "--job", "job.toml"}, 2,
                 {"job.toml:5", "unknown key train.batchsize", "did you mean train.batch_size?"});
}

TEST_F(BadJob, AFileThatIsNotTomlIsGivenWithItsLine) {
  write("job.toml", "[data]\nname = synthetic\n");
  expect_refused({"train", "--job", "job.toml"}, 2, {"job.toml:2", "not TOML", "need quotes"});
}

TEST_F(BadJob, AJobFileThatIsNotThereIsNamed) {
  expect_refused({"train", "--job", "nowhere.toml"}, 1, {"nowhere.toml", "check the path"});
}

TEST_F(BadJob, NothingToTrainOnIsAskedFor) {
  expect_refused({"train", "--epochs", "3"}, 2, {"--job FILE", "--data NAME", "--label COLUMN"});
}

TEST_F(BadJob, TheErrorIsOneJsonObjectWhereJsonWasAskedFor) {
  const Outcome outcome = fedvs({"train", "--data", "synthetic", "--json", "--clients", "2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, testing::StartsWith("{\"error\":\"K = 1 and T = 1 need R = "));
}

}  // namespace
}  // namespace fedvs::cli
