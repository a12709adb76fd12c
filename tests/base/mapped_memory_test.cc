#include "fedvs/base/mapped_memory.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>

#include "fedvs/base/files.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/file_size_limit.h"

namespace fedvs {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

TEST(MappedMemory, StartsAsZerosThatNobodyElseMayRead) {
  const ScratchFolder folder;
  const auto memory = MappedMemory::create(folder / "shares", 10'000).value();
  EXPECT_EQ(memory.size(), 10'000u);
  EXPECT_THAT(memory.bytes(), Each(0));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % 64, 0u);
  struct stat status;
  ASSERT_EQ(::stat((folder / "shares").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(MappedMemory, SurvivesItsObjectWhenKept) {
  const ScratchFolder folder;
  {
    auto memory = MappedMemory::create(folder / "shares", 5000).value();
    for (std::size_t i = 0; i < 5000; ++i) memory.bytes()[i] = static_cast<std::uint8_t>(7 * i);
    ASSERT_TRUE(memory.sync());
    memory.keep();
  }
  {
    const auto again = MappedMemory::open(folder / "shares", 5000).value();
    for (std::size_t i = 0; i < 5000; ++i) {
      ASSERT_EQ(again.bytes()[i], static_cast<std::uint8_t>(7 * i));
    }
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "shares"));  // one that was opened is not ours
}

TEST(MappedMemory, IsRemovedWithItsObjectOtherwise) {
  const ScratchFolder folder;
  {
    auto memory = MappedMemory::create(folder / "shares", 100).value();
    MappedMemory moved = std::move(memory);
    EXPECT_TRUE(std::filesystem::exists(folder / "shares"));
    // When another file takes its place, then the first one is gone at once.
    moved = MappedMemory::create(folder / "other", 100).value();
    EXPECT_FALSE(std::filesystem::exists(folder / "shares"));
    EXPECT_TRUE(std::filesystem::exists(folder / "other"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MappedMemory, ReplacesAFileOfThatNameWithoutTouchingWhoStillUsesIt) {
  const ScratchFolder folder;
  auto old = MappedMemory::create(folder / "shares", 100).value();
  old.keep();
  std::fill(old.bytes().begin(), old.bytes().end(), std::uint8_t{9});
  const auto fresh = MappedMemory::create(folder / "shares", 50).value();
  EXPECT_THAT(old.bytes(), Each(9));
  EXPECT_THAT(fresh.bytes(), Each(0));
}

TEST(MappedMemory, MayBeEmpty) {
  const ScratchFolder folder;
  auto none = MappedMemory::create(folder / "none", 0).value();
  EXPECT_EQ(none.bytes().size(), 0u);
  EXPECT_TRUE(none.sync());
  EXPECT_TRUE(MappedMemory::open(folder / "none", 0));
}

TEST(MappedMemory, SaysAtOnceThatTheDiskIsTooSmall) {
  const ScratchFolder folder;
  const testing::FileSizeLimit full(4096);
  const auto result = MappedMemory::create(folder / "shares", 123'456);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(result.error().message,
              AllOf(HasSubstr((folder / "shares").string()), HasSubstr("123456 bytes"),
                    HasSubstr("too large"), HasSubstr("choose another folder")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MappedMemory, RefusesAFileOfAnotherSizeAndNamesBoth) {
  const ScratchFolder folder;
  put(folder / "shares", "12345");
  const auto result = MappedMemory::open(folder / "shares", 6);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(result.error().message, AllOf(HasSubstr("has 5 bytes"), HasSubstr("6 were expected"),
                                            HasSubstr("remove it")));
  EXPECT_TRUE(std::filesystem::exists(folder / "shares"));
}

TEST(MappedMemory, SaysWhichFileOrFolderIsMissing) {
  const ScratchFolder folder;
  const auto file = MappedMemory::open(folder / "none", 6);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, AllOf(HasSubstr("none"), HasSubstr("No such file")));
  const auto made = MappedMemory::create(folder / "missing/shares", 6);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, AllOf(HasSubstr("missing"), HasSubstr("No such file")));
  EXPECT_FALSE(MappedMemory::create(folder.path(), 6));  // a folder is not replaced
  EXPECT_TRUE(std::filesystem::is_directory(folder.path()));
}

}  // namespace
}  // namespace fedvs
