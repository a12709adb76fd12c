#include "fedvs/run/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/job/print.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::run {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

TEST(RunFolder, OpensWithTheJobItWasCreatedWith) {
  const ScratchFolder scratch;
  Job job;
  job.train.epochs = 3;
  job.data.categorical = {"a", "b"};
  const auto created = RunFolder::create(scratch / "deep/er/run", job);
  ASSERT_TRUE(created) << created.error().message;
  const auto opened = RunFolder::open(scratch / "deep/er/run");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(digest(opened->job()), digest(job));
  EXPECT_TRUE(fs::is_directory(opened->checkpoint_folder()));
}

TEST(RunFolder, AnEmptyFolderMayBeUsed) {
  const ScratchFolder scratch;
  EXPECT_TRUE(RunFolder::create(scratch.path(), {}));
}

TEST(RunFolder, AFolderThatHoldsSomethingIsRefusedAndLeftAlone) {
  const ScratchFolder scratch;
  put(scratch / "thesis.txt", "years of work");
  const auto run = RunFolder::create(scratch.path(), {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::kRefused);
  EXPECT_THAT(run.error().message, AllOf(HasSubstr(scratch.path().string()), HasSubstr("not empty"),
                                         HasSubstr("--out DIR"), HasSubstr("--resume")));
  EXPECT_EQ(contents_of(scratch / "thesis.txt"), "years of work");
  EXPECT_FALSE(fs::exists(scratch / "job.toml"));
}

TEST(RunFolder, ASecondRunInTheSameFolderIsRefused) {
  const ScratchFolder scratch;
  ASSERT_TRUE(RunFolder::create(scratch / "run", {}));
  EXPECT_FALSE(RunFolder::create(scratch / "run", {}));
}

TEST(RunFolder, APlaceThatCannotBeWrittenIsNamedWithTheRemedy) {
  const ScratchFolder scratch;
  put(scratch / "file", "x");
  for (const fs::path& place : {scratch / "file", scratch / "file/run", fs::path("/proc/no/run")}) {
    const auto run = RunFolder::create(place, {});
    ASSERT_FALSE(run) << place;
    EXPECT_EQ(run.error().code, ErrorCode::kBadFile);
    EXPECT_THAT(run.error().message, AllOf(HasSubstr(place.string()), HasSubstr("--out DIR")));
  }
  EXPECT_EQ(contents_of(scratch / "file"), "x");
}

TEST(RunFolder, AFailureLeavesNoFolderBehind) {
  const ScratchFolder scratch;
  // Given a name too long for the file system below two new folders,
  const auto run = RunFolder::create(scratch / ("new/er/" + std::string(300, 'x')), {});
  // When that fails, then they are gone again.
  ASSERT_FALSE(run);
  EXPECT_FALSE(fs::exists(scratch / "new"));
}

TEST(RunFolder, WhatIsNoRunFolderDoesNotOpen) {
  const ScratchFolder scratch;
  const auto missing = RunFolder::open(scratch / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(missing.error().message, HasSubstr("not a run folder"));
}

TEST(RunFolder, ADamagedJobIsNamedByFileAndLine) {
  const ScratchFolder scratch;
  put(scratch / "job.toml", "[train]\nepochs = 0\n");
  const auto run = RunFolder::open(scratch.path());
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("job.toml:2: train.epochs = 0"));
}

TEST(RunFolder, OfARunThatGoesOnIsMendedWhateverItsConditionIs) {
  const ScratchFolder scratch;
  ASSERT_TRUE(RunFolder::create(scratch / "run", Job{}));
  const std::string job = contents_of(scratch / "run/job.toml");
  put(scratch / "run/job.toml", "[data\n");
  ASSERT_TRUE(RunFolder::mend(scratch / "run", Job{}));
  EXPECT_EQ(contents_of(scratch / "run/job.toml"), job);
  EXPECT_EQ(contents_of(scratch / "run/job.toml.damaged-1"), "[data\n");
  std::filesystem::remove(scratch / "run/job.toml");  // beside other files
  ASSERT_TRUE(RunFolder::mend(scratch / "run", Job{}));
  std::filesystem::remove_all(scratch / "run");
  ASSERT_TRUE(RunFolder::mend(scratch / "run", Job{}));
  EXPECT_TRUE(RunFolder::open(scratch / "run"));
}

}  // namespace
}  // namespace fedvs::run
