#include "fedvs/data/idx.h"

#include <gmock/gmock.h>

#include "tests/data/temp_folder.h"

namespace fedvs::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kPixels = {'\0', '\1', '\2', '\3', '\4', '\5', '\6', '\377'};

TEST(Idx, ReadsImagesAndLabelsPlainOrPacked) {
  const TempFolder folder;
  const auto images = folder.write_gzip("images.gz", idx_bytes({0x803, 2, 2, 2}, kPixels));
  const auto labels = folder.write("labels", idx_bytes({0x801, 2}, {'\3', '\7'}));
  const IdxSet set = read_idx_set(images, labels).value();
  EXPECT_EQ(set.images.count, 2u);
  EXPECT_EQ(set.images.height * set.images.width, 4u);
  EXPECT_EQ(set.images.image(1)[0], 4);
  EXPECT_EQ(set.images.image(1)[3], 255);
  EXPECT_THAT(set.labels, ElementsAre(3, 7));
}

TEST(Idx, RefusesAWrongMagicNumber) {
  const TempFolder folder;
  const auto read = read_idx_images(folder.write("labels", idx_bytes({0x801, 2, 2, 2}, kPixels)));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(read.error().message,
              AllOf(HasSubstr("labels"), HasSubstr("0x00000801"), HasSubstr("0x00000803")));
}

TEST(Idx, SaysHowManyBytesATruncatedFileLacks) {
  const TempFolder folder;
  const auto read =
      read_idx_images(folder.write("images", idx_bytes({0x803, 2, 2, 2}, kPixels.substr(3))));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, AllOf(HasSubstr("images"), HasSubstr("= 8 bytes, but 5 follow"),
                                          HasSubstr("truncated")));
}

TEST(Idx, RefusesATruncatedHeader) {
  const TempFolder folder;
  const auto images = read_idx_images(folder.write("images", idx_bytes({0x803, 2}, "")));
  ASSERT_FALSE(images);
  EXPECT_THAT(images.error().message, HasSubstr("8 bytes are too few"));
  const auto labels = read_idx_labels(folder.write("labels", ""));
  ASSERT_FALSE(labels);
  EXPECT_THAT(labels.error().message, HasSubstr("0 bytes are too few"));
}

TEST(Idx, RefusesSizesThatWouldOverflow) {
  const TempFolder folder;
  const auto read = read_idx_images(
      folder.write("images", idx_bytes({0x803, 0xffffffff, 0xffffffff, 0xffffffff}, kPixels)));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("4294967295 images of 4294967295 x 4294967295"));
}

TEST(Idx, RefusesLabelsOfAnotherSet) {
  const TempFolder folder;
  const auto images = folder.write("images", idx_bytes({0x803, 2, 2, 2}, kPixels));
  const auto labels = folder.write("labels", idx_bytes({0x801, 3}, "abc"));
  const auto read = read_idx_set(images, labels);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kBadData);
  EXPECT_THAT(read.error().message, AllOf(HasSubstr("2 images"), HasSubstr("3 labels")));
}

}  // namespace
}  // namespace fedvs::data
