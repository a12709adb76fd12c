#include "fedvs/store/newest_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/scratch_folder.h"

namespace fedvs::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NewestRecordsTest : public ::testing::Test {
 protected:
  NewestRecords open(std::size_t largest = 20) {
    return NewestRecords::open(path_, 3, largest).value();
  }
  ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "records";
};

TEST_F(NewestRecordsTest, TheNewestOfEveryKeyOutliveTheirWriter) {
  {
    auto records = open();
    for (const char* text : {"a", "b", "c", "d", "e", "f"}) records.put(0, text);
    records.put(2, "twenty bytes exactly");
    records.put(2, "");
  }
  const auto again = open();
  EXPECT_THAT(again.read(0), ElementsAre("c", "d", "e", "f"));
  EXPECT_THAT(again.read(1), IsEmpty());
  EXPECT_THAT(again.read(2), ElementsAre("twenty bytes exactly", ""));
}

TEST_F(NewestRecordsTest, GoOnInOrderAfterBeingOpenedAgain) {
  for (const char* text : {"a", "b", "c", "d", "e", "f"}) open().put(1, text);
  EXPECT_THAT(open().read(1), ElementsAre("c", "d", "e", "f"));
}

TEST_F(NewestRecordsTest, WhatIsHeldIsNotPutAgain) {
  auto records = open();
  for (const char* text : {"a", "b", "a", "a", "b", "a", "c"}) records.put(0, text);
  EXPECT_THAT(records.read(0), ElementsAre("a", "b", "c"));
}

// Whichever bytes of a record did not get into the file.
TEST_F(NewestRecordsTest, ATornRecordIsNotThereAndTheOthersAre) {
  {
    auto records = open();
    for (const char* text : {"first", "second", "third"}) records.put(0, text);
  }
  const std::string whole = contents_of(path_);
  const std::size_t at = whole.find("second");
  ASSERT_NE(at, std::string::npos);
  for (std::size_t i = at - 16; i < at + 6; ++i) {
    std::string torn = whole;
    torn[i] = static_cast<char>(~torn[i]);
    put(path_, torn);
    EXPECT_THAT(open().read(0), ElementsAre("first", "third")) << i - at;
  }
}

TEST_F(NewestRecordsTest, AFileForOtherSizesIsReplacedByAnEmptyOne) {
  open().put(0, "small");
  EXPECT_THAT(open(4000).read(0), IsEmpty());
}

TEST_F(NewestRecordsTest, OnlyItsOwnerMayRead) {
  open();
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path_).permissions(), perms::owner_read | perms::owner_write);
}

}  // namespace
}  // namespace fedvs::store
