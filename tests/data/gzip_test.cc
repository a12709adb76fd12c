#include "fedvs/data/gzip.h"

#include <gmock/gmock.h>

#include "tests/data/temp_folder.h"

namespace fedvs::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string long_text() {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7919) + ",";
  return text;
}

TEST(Gzip, ReadsPlainAndPackedFilesAlike) {
  const TempFolder folder;
  const std::string plain = folder.write("a.csv", long_text());
  const std::string packed = folder.write_gzip("b.csv", long_text());
  EXPECT_EQ(read_maybe_gzip(plain).value(), long_text());
  EXPECT_EQ(read_maybe_gzip(packed).value(), long_text());
}

TEST(Gzip, JoinsMembersAsGunzipDoes) {
  const TempFolder folder;
  folder.write_gzip("a.gz", "first,");
  folder.write_gzip("b.gz", "second");
  const std::string both = folder.write("c.gz", folder.read("a.gz") + folder.read("b.gz"));
  EXPECT_EQ(read_maybe_gzip(both).value(), "first,second");
}

TEST(Gzip, SaysThatAFileIsCutShortWhereverItIsCut) {
  // Given a gzip file, when any number of bytes is missing at its end, then it is an error.
  const TempFolder folder;
  folder.write_gzip("a.gz", "some rows of a table");
  const std::string whole = folder.read("a.gz");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const auto read = gunzip(whole.substr(0, size), "a.gz");
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, ErrorCode::kBadFile);
    EXPECT_THAT(read.error().message, AllOf(HasSubstr("a.gz"), HasSubstr("cut short")));
  }
}

TEST(Gzip, SaysThatAFileIsDamaged) {
  const TempFolder folder;
  folder.write_gzip("a.gz", long_text());
  std::string bytes = folder.read("a.gz");
  bytes[bytes.size() - 6] = static_cast<char>(~bytes[bytes.size() - 6]);  // in the checksum
  const auto read = gunzip(bytes, "a.gz");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, AllOf(HasSubstr("damaged"), HasSubstr("copy the file again")));
}

TEST(Gzip, NamesAFileThatIsNotThere) {
  const TempFolder folder;
  const auto read = read_maybe_gzip(folder.path("absent.csv"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(read.error().message, HasSubstr("absent.csv"));
}

}  // namespace
}  // namespace fedvs::data
