#include "fedvs/deploy/new_folder.h"

#include <gmock/gmock.h>

#include "tests/store/scratch_folder.h"

namespace fedvs::deploy {
namespace {

namespace fs = std::filesystem;

TEST(NewFolder, AppearsWithAllThatIsInItWhenCommitted) {
  const ScratchFolder scratch;
  const fs::path place = scratch / "some/where/deploy";
  auto folder = NewFolder::begin(place).value();
  put(folder.path() / "file", "bytes");
  EXPECT_FALSE(fs::exists(place));
  ASSERT_TRUE(folder.commit());
  EXPECT_EQ(contents_of(place / "file"), "bytes");
  EXPECT_EQ(fs::status(place).permissions(), fs::perms::owner_all);
}

TEST(NewFolder, LeavesNothingUnlessCommitted) {
  const ScratchFolder scratch;
  {
    const auto folder = NewFolder::begin(scratch / "deploy").value();
    put(folder.path() / "file", "bytes");
  }
  EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(NewFolder, NeverTakesTheFilledOrEmptyPlaceOfAnother) {
  const ScratchFolder scratch;
  fs::create_directory(scratch / "empty");
  put(scratch / "file", "bytes");
  fs::create_symlink(scratch / "nowhere", scratch / "link");
  for (const char* name : {"empty", "empty/", "file", "link"}) {
    const auto folder = NewFolder::begin(scratch / name);
    ASSERT_FALSE(folder) << name;
    EXPECT_EQ(folder.error().code, ErrorCode::kRefused);
    EXPECT_THAT(folder.error().message, testing::HasSubstr("--dir"));
  }
}

TEST(NewFolder, RefusesAPlaceThatWasTakenMeanwhile) {
  const ScratchFolder scratch;
  auto folder = NewFolder::begin(scratch / "deploy").value();
  fs::create_directory(scratch / "deploy");
  EXPECT_EQ(folder.commit().error().code, ErrorCode::kRefused);
}

}  // namespace
}  // namespace fedvs::deploy
