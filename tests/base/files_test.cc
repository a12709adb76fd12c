#include "fedvs/base/files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/support/file_size_limit.h"

namespace fedvs {
namespace {

using fedvs::testing::FileSizeLimit;
using ::testing::AllOf;
using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string name = (std::filesystem::temp_directory_path() / "fedvs-files-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }
  std::filesystem::path folder_;
};

TEST_F(Files, GiveBackWhatWasWritten) {
  const auto path = folder_ / "data";
  const std::string bytes("a\0b\n", 4);
  ASSERT_TRUE(write_atomically(path, bytes));
  EXPECT_EQ(read_file(path).value(), bytes);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, AreReplacedWhole) {
  const auto path = folder_ / "data";
  ASSERT_TRUE(write_atomically(path, std::string(10'000, 'x')));
  ASSERT_TRUE(write_atomically(path, std::string_view("new")));
  EXPECT_EQ(read_file(path).value(), "new");
}

TEST_F(Files, KeepTheOldContentWhenWritingFailsHalfWay) {
  // Given a file, and a disk that takes 4 KB more.
  const auto path = folder_ / "data";
  ASSERT_TRUE(write_atomically(path, std::string_view("old")));
  Status status;
  {
    FileSizeLimit full(4096);
    // When more is written over it,
    status = write_atomically(path, std::string(100'000, 'x'));
  }
  // Then the old content is there, nothing else is, and the message names the file and the reason.
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, AllOf(HasSubstr(path.string()), HasSubstr("too large")));
  EXPECT_EQ(read_file(path).value(), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, SayWhichFolderDoesNotExist) {
  const auto path = folder_ / "missing" / "data";
  const Status status = write_atomically(path, std::string_view("x"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(status.error().message, AllOf(HasSubstr(path.string()), HasSubstr("No such file")));
  EXPECT_EQ(entries(), 0);
}

TEST_F(Files, AreNotWrittenOverAFolder) {
  const auto path = folder_ / "folder";
  std::filesystem::create_directory(path);
  EXPECT_FALSE(write_atomically(path, std::string_view("x")));
  EXPECT_TRUE(std::filesystem::is_directory(path));
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, SayWhatCannotBeRead) {
  const auto missing = read_file(folder_ / "none");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, AllOf(HasSubstr("none"), HasSubstr("No such file")));
  const auto folder = read_file(folder_);
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("directory"));
}

TEST_F(Files, WithoutASizeOfTheirOwnAreReadToTheEnd) {
  EXPECT_FALSE(read_file("/proc/self/status").value().empty());
}

}  // namespace
}  // namespace fedvs
