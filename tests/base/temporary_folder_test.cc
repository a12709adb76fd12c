#include "fedvs/base/temporary_folder.h"

#include <gmock/gmock.h>

#include "tests/store/scratch_folder.h"
#include "tests/support/temporary_path.h"

namespace fedvs {
namespace {

TEST(TemporaryFolder, LiesWhereTmpdirSaysAndIsItsOwnersAlone) {
  const ScratchFolder scratch;
  const testing::TemporaryPath tmpdir(scratch.path());
  const auto folder = TemporaryFolder::create().value();
  EXPECT_EQ(folder.path().parent_path(), scratch.path());
  EXPECT_EQ(std::filesystem::status(folder.path()).permissions(),
            std::filesystem::perms::owner_all);
}

TEST(TemporaryFolder, GoesWithAllThatIsInItButNotBeforeItsLastOwner) {
  const ScratchFolder scratch;
  const testing::TemporaryPath tmpdir(scratch.path());
  {
    auto first = TemporaryFolder::create().value();
    put(first.path() / "file", "bytes");
    const auto second = std::move(first);
    EXPECT_EQ(contents_of(second.path() / "file"), "bytes");
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(TemporaryFolder, SaysWhereItCouldNotBeMade) {
  const ScratchFolder scratch;
  const testing::TemporaryPath tmpdir(scratch / "nowhere");
  const auto folder = TemporaryFolder::create();
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(folder.error().message, ::testing::HasSubstr("TMPDIR"));
}

}  // namespace
}  // namespace fedvs
