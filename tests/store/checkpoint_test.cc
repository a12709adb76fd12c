#include "fedvs/store/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/base/digest.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::map<std::string, std::string> kParts = {
    {"central", std::string("\0weights\xff", 9)}, {"empty", ""}, {"server", "state"}};

class Checkpoint : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(write_checkpoint(path_, kParts)); }
  // The error of reading `bytes` as a checkpoint.
  Error error_of(std::string_view bytes) {
    put(path_, bytes);
    const auto parts = read_checkpoint(path_);
    EXPECT_FALSE(parts);
    return parts ? Error{} : parts.error();
  }
  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_ / "latest.ckpt";
};

TEST_F(Checkpoint, GivesBackItsParts) { EXPECT_EQ(read_checkpoint(path_).value(), kParts); }

TEST_F(Checkpoint, MayHaveNoParts) {
  ASSERT_TRUE(write_checkpoint(path_, {}));
  EXPECT_TRUE(read_checkpoint(path_).value().empty());
}

TEST_F(Checkpoint, ReplacesTheOneBeforeAndLeavesNothingElse) {
  ASSERT_TRUE(write_checkpoint(path_, {{"only", "this"}}));
  EXPECT_EQ(read_checkpoint(path_).value().size(), 1u);
  const auto files = std::filesystem::directory_iterator(scratch_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(Checkpoint, EveryFlippedBitIsFound) {
  const std::string whole = contents_of(path_);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      ASSERT_EQ(error_of(bytes).code, ErrorCode::kCorrupt) << "byte " << i << " bit " << bit;
    }
  }
}

TEST_F(Checkpoint, EveryTruncationAndAddedBytesAreFound) {
  const std::string whole = contents_of(path_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_EQ(error_of(whole.substr(0, size)).code, ErrorCode::kCorrupt) << size << " bytes";
  }
  EXPECT_EQ(error_of(whole + '\0').code, ErrorCode::kCorrupt);
}

TEST_F(Checkpoint, AnErrorNamesTheFileAndTheRemedy) {
  EXPECT_THAT(error_of("FEDVSCKP").message,
              AllOf(HasSubstr(path_.string()), HasSubstr("cut short"), HasSubstr("train anew")));
  EXPECT_THAT(error_of("PK\3\4 something else").message,
              HasSubstr("does not begin as a checkpoint does"));
}

// Another version, or lengths that lie, under a digest that is right.
std::string sealed(std::string body) {
  const Digest digest = Hasher().add(body).finish();
  return body.append(digest.begin(), digest.end());
}

TEST_F(Checkpoint, AnotherVersionIsNamed) {
  const std::string body("FEDVSCKP\2\0\0\0\0\0\0\0", 16);
  EXPECT_THAT(error_of(sealed(body)).message, HasSubstr("has format version 2"));
}

TEST_F(Checkpoint, LengthsThatLieAreFoundBeforeAnythingIsAllocated) {
  const std::string head("FEDVSCKP\1\0\0\0\1\0\0\0", 16);
  EXPECT_EQ(error_of(sealed(head + std::string(8, '\xff'))).code, ErrorCode::kCorrupt);
  EXPECT_EQ(error_of(sealed(head)).code, ErrorCode::kCorrupt);
}

TEST_F(Checkpoint, AMissingFileIsABadFile) {
  const auto parts = read_checkpoint(scratch_ / "none.ckpt");
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(parts.error().message, HasSubstr("none.ckpt"));
}

TEST_F(Checkpoint, AFailedWriteIsReported) {
  EXPECT_FALSE(write_checkpoint(path_ / "below-a-file.ckpt", kParts));
  EXPECT_EQ(read_checkpoint(path_).value(), kParts);
}

}  // namespace
}  // namespace fedvs::store
