#include "fedvs/store/record_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/store/scratch_folder.h"
#include "tests/support/file_size_limit.h"

namespace fedvs::store {
namespace {

using ::testing::ElementsAre;
using Records = std::vector<std::string>;
using Sync = RecordLog::Sync;

class RecordLogTest : public ::testing::Test {
 protected:
  RecordLog open(Records* seen = nullptr) {
    return RecordLog::open(file_,
                           [&](std::uint64_t, std::string_view record) {
                             if (seen != nullptr) seen->emplace_back(record);
                             return Status{};
                           })
        .value();
  }
  Records records() {
    Records seen;
    open(&seen);
    return seen;
  }
  // The bytes of a log with these records.
  std::string bytes_of(const Records& records) {
    auto log = open();
    EXPECT_TRUE(log.clear());
    for (const auto& record : records) EXPECT_TRUE(log.append(record, Sync::kNo));
    return contents_of(file_);
  }

  ScratchFolder folder_;
  const std::filesystem::path file_ = folder_ / "log";
  const Records three_{"one", std::string("\0two\n", 5), ""};
};

TEST_F(RecordLogTest, ReadsBackWhatWasAppended) {
  std::vector<std::uint64_t> offsets;
  {
    auto log = open();
    for (const auto& record : three_) offsets.push_back(log.append(record, Sync::kYes).value());
  }
  EXPECT_EQ(records(), three_);
  const auto log = open();
  for (std::size_t i = 0; i < three_.size(); ++i) EXPECT_EQ(*log.read(offsets[i]), three_[i]);
  EXPECT_EQ(log.read(1).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(log.read(log.size()).error().code, ErrorCode::kCorrupt);
}

TEST_F(RecordLogTest, AnotherTakesItsPlaceWholeOrNotAtAll) {
  bytes_of({"old", "older"});
  const auto fail = [](std::size_t i) -> Result<std::string> {
    if (i == 1) return Error{ErrorCode::kCorrupt, "no more"};
    return std::string("new");
  };
  EXPECT_FALSE(RecordLog::replace(file_, 2, fail));
  EXPECT_THAT(records(), ElementsAre("old", "older"));
  auto log = RecordLog::replace(file_, 1, fail).value();
  ASSERT_TRUE(log.append("newer", Sync::kYes));
  EXPECT_THAT(records(), ElementsAre("new", "newer"));
}

TEST_F(RecordLogTest, CutAtAnyByteKeepsTheWholeRecordsBefore) {
  const std::string whole = bytes_of(three_);
  const std::size_t ends[] = {8 + 3, 8 + 3 + 8 + 5, whole.size()};
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    put(file_, whole.substr(0, size));
    Records expected;
    for (std::size_t i = 0; i < 3 && ends[i] <= size; ++i) expected.push_back(three_[i]);
    EXPECT_EQ(records(), expected) << size;
    // What was torn is gone, and the next record is read where it was.
    ASSERT_TRUE(open().append("next", Sync::kNo));
    expected.push_back("next");
    EXPECT_EQ(records(), expected) << size;
  }
}

TEST_F(RecordLogTest, AFlippedBitEndsTheLogBeforeTheRecordThatItIsIn) {
  const std::string whole = bytes_of(three_);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    put(file_, flipped);
    const std::size_t record = bit / 8 < 11 ? 0 : bit / 8 < 24 ? 1 : 2;
    EXPECT_EQ(records(), Records(three_.begin(), three_.begin() + static_cast<int>(record))) << bit;
  }
}

TEST_F(RecordLogTest, ZerosAfterTheEndAreNoRecords) {  // as some file systems leave them
  put(file_, bytes_of(three_) + std::string(100, '\0'));
  EXPECT_EQ(records(), three_);
}

TEST_F(RecordLogTest, ARecordThatTheReaderFindsWrongEndsTheLog) {
  bytes_of(three_);
  const auto log = RecordLog::open(file_, [](std::uint64_t offset, std::string_view) -> Status {
    if (offset == 0) return {};
    return Error{ErrorCode::kCorrupt, "not mine"};
  });
  ASSERT_TRUE(log);
  EXPECT_THAT(records(), ElementsAre("one"));
}

TEST_F(RecordLogTest, DamageIsToldFromATornEndAndACopyOfItKept) {
  const std::string whole = bytes_of(three_);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    put(file_, whole.substr(0, size));
    open();
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "log.damaged-1"));
  std::string flipped = whole;
  flipped[9] = 'x';  // in the first record, with others after it
  put(file_, flipped);
  EXPECT_THAT(records(), ::testing::IsEmpty());
  EXPECT_EQ(contents_of(folder_ / "log.damaged-1"), flipped);
}

TEST_F(RecordLogTest, ALogThatMustNotLoseRecordsStopsAtDamageAndIsLeftAlone) {
  const auto open_strictly = [&] {
    return RecordLog::open(
        file_, [](auto, auto) { return Status{}; }, RecordLog::OnDamage::kStop);
  };
  const std::string whole = bytes_of(three_);
  put(file_, whole.substr(0, whole.size() - 3));  // torn
  EXPECT_TRUE(open_strictly());
  for (const std::string& damaged :
       {whole.substr(0, 9) + "x" + whole.substr(10), std::string(100'000, '\0'),
        std::string(100'000, '\xff'), whole + std::string(3, '\0') + "something else entirely"}) {
    put(file_, damaged);
    const auto log = open_strictly();
    ASSERT_FALSE(log);
    EXPECT_EQ(log.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(log.error().message, ::testing::HasSubstr(file_.string() + " is damaged: byte "));
    EXPECT_EQ(contents_of(file_), damaged);
  }
}

TEST_F(RecordLogTest, AFullDiskIsAnErrorAndLeavesTheRecordsBefore) {
  auto log = open();
  ASSERT_TRUE(log.append("one", Sync::kYes));
  {
    const testing::FileSizeLimit full(20);
    const auto failed = log.append(std::string(100, 'x'), Sync::kYes);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::kBadFile);
    EXPECT_THAT(failed.error().message, ::testing::HasSubstr(file_.string()));
  }
  EXPECT_EQ(std::filesystem::file_size(file_), 11u);
  ASSERT_TRUE(log.append("two", Sync::kYes));
  EXPECT_THAT(records(), ElementsAre("one", "two"));
}

TEST_F(RecordLogTest, OnlyItsOwnerMayReadIt) {
  open();
  EXPECT_EQ(std::filesystem::status(file_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(RecordLogTest, AFileThatCannotBeMadeIsNamed) {
  const auto log = RecordLog::open(folder_ / "none" / "log", [](auto, auto) { return Status{}; });
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kBadFile);
}

}  // namespace
}  // namespace fedvs::store
