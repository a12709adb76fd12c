#include "fedvs/deploy/key_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/store/scratch_folder.h"
#include "tests/support/file_size_limit.h"

namespace fedvs::deploy {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class KeyFile : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  fs::path file_ = folder_ / "a.key";
};

TEST_F(KeyFile, IsItsOwnersAloneWhateverTheUmask) {
  const auto before = ::umask(0);
  ASSERT_TRUE(write_key_file(file_, "secret"));
  ::umask(before);
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(read_key_file(file_).value().view(), "secret");
}

TEST_F(KeyFile, IsNeverOverwritten) {
  ASSERT_TRUE(write_key_file(file_, "secret"));
  const Status again = write_key_file(file_, "other");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kRefused);
  EXPECT_EQ(contents_of(file_), "secret");
}

TEST_F(KeyFile, ThatOthersCanReadOrWriteIsRefusedWithTheCommandThatMendsIt) {
  ASSERT_TRUE(write_key_file(file_, "secret"));
  for (const auto open : {fs::perms::group_read, fs::perms::others_read, fs::perms::group_write,
                          fs::perms::others_write, fs::perms::group_exec}) {
    fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write | open);
    const auto read = read_key_file(file_);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kRefused);
    EXPECT_THAT(read.error().message, HasSubstr("chmod 600 " + file_.string()));
  }
  fs::permissions(file_, fs::perms::owner_read);
  EXPECT_TRUE(read_key_file(file_));
}

TEST_F(KeyFile, OfAnotherUserIsRefused) {
  ASSERT_TRUE(write_key_file(file_, "secret"));
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(file_.c_str(), 12345, 0), 0);
  const auto read = read_key_file(file_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kRefused);
  EXPECT_THAT(read.error().message, HasSubstr("belongs to user 12345"));
}

TEST_F(KeyFile, ThatIsALinkAFolderOrAPipeIsRefusedAtOnce) {
  ASSERT_TRUE(write_key_file(file_, "secret"));
  fs::create_symlink(file_, folder_ / "link");
  fs::create_directory(folder_ / "folder");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const char* name : {"link", "folder", "pipe"}) {
    const auto read = read_key_file(folder_ / name);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, ErrorCode::kRefused) << name;
  }
  EXPECT_EQ(read_key_file(folder_ / "nothing").error().code, ErrorCode::kBadFile);
}

TEST_F(KeyFile, OnAFullDiskLeavesNothing) {
  const testing::FileSizeLimit limit(3);
  const Status written = write_key_file(file_, "secret");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kBadFile);
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(KeyFile, HoldsSecretKeysInHex) {
  const auto key = seal::SecretKey::generate();
  ASSERT_TRUE(write_secret_key(file_, key));
  EXPECT_TRUE(read_secret_key(file_).value() == key);
  EXPECT_EQ(contents_of(file_).size(), 65u);
}

TEST_F(KeyFile, DamagedKeysAreRefusedWithoutBeingShown) {
  const std::string good(64, 'a');
  for (const auto& bad : {std::string(), good.substr(1), good + "a", good.substr(1) + "g",
                          std::string(20'000, 'a')}) {
    fs::remove(file_);
    ASSERT_TRUE(write_key_file(file_, bad));
    const auto key = read_secret_key(file_);
    ASSERT_FALSE(key);
    EXPECT_THAT(key.error().message, ::testing::Not(HasSubstr("aaaa")));
  }
}

}  // namespace
}  // namespace fedvs::deploy
