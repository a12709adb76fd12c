// Run folders that cannot be made, and runs that cannot be gone on with: all is left as it was.
#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

constexpr int kFailed = 1, kBadUsage = 2, kRefused = 5;

const Arguments kTrain = words("train --data synthetic --set data.rows=100 --epochs 1") + kTiny;

class RunFolder : public Cli {
 protected:
  void finish_run() { ASSERT_EQ(fedvs(kTrain + Arguments{"--out", "run"}).status, 0); }
};

TEST_F(RunFolder, AnExistingOneIsNotTouched) {
  finish_run();
  expect_refused(kTrain + Arguments{"--out", "run"}, kRefused,
                 {"run folder run is not empty", "--out DIR", "--resume run"});
}

TEST_F(RunFolder, AnEmptyFolderIsUsed) {
  std::filesystem::create_directory(folder_ / "run");
  finish_run();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/job.toml"));
}

TEST_F(RunFolder, APlaceThatCannotBeWrittenIsNamed) {
  write("file", "not a folder");
  expect_refused(kTrain + Arguments{"--out", "file"}, kFailed,
                 {"cannot make the run folder file", "not a folder", "--out DIR"});
  expect_refused(kTrain + Arguments{"--out", "file/deep/run"}, kFailed,
                 {"cannot make the run folder file/deep/run", "--out DIR"});
}

TEST_F(RunFolder, ResumeOfAFinishedRunSaysHowToStartAnother) {
  finish_run();
  expect_refused({"train", "--resume", "run"}, kBadUsage,
                 {"run is finished", "fedvs train --job run/job.toml"});
}

TEST_F(RunFolder, ResumeOfWhatIsNoRunIsRefused) {
  expect_refused({"train", "--resume", "nowhere"}, kFailed, {"nowhere is not a run folder"});
  std::filesystem::create_directory(folder_ / "empty");
  expect_refused({"train", "--resume", "empty"}, kFailed, {"empty is not a run folder"});
}

class Checkpoint : public RunFolder {
 protected:
  static constexpr const char* kFile = "run/checkpoint/latest.ckpt";
  void spoil(const std::string& bytes) { write(kFile, bytes); }
  void refuses(const std::string& command, const std::vector<std::string>& says) {
    const Arguments arguments = command == "train" ? Arguments{"train", "--resume", "run"}
                                                   : Arguments{"predict", "run", "--data", kFile};
    expect_refused(arguments, kFailed, says);
  }
};

TEST_F(Checkpoint, OneAlteredByteAnywhereIsNoticed) {
  finish_run();
  const std::string good = text(kFile);
  for (const std::size_t place :
       {std::size_t{0}, std::size_t{9}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[place] = static_cast<char>(bad[place] ^ 1);
    spoil(bad);
    refuses("train", {"latest.ckpt"});
  }
  refuses("predict", {"latest.ckpt"});
}

TEST_F(Checkpoint, OneCutShortIsNoticed) {
  finish_run();
  const std::string good = text(kFile);
  for (const std::size_t length : {std::size_t{0}, std::size_t{20}, good.size() / 2}) {
    spoil(good.substr(0, length));
    refuses("train", {"latest.ckpt"});
  }
}

TEST_F(Checkpoint, AMissingOneIsNamed) {
  finish_run();
  std::filesystem::remove(folder_ / kFile);
  refuses("train", {"latest.ckpt"});
}

}  // namespace
}  // namespace fedvs::cli
