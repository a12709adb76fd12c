#include "fedvs/store/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/store/scratch_folder.h"

namespace fedvs::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kStart = "{\"event\":\"start\"}\n";
constexpr const char* kRounds = "{\"round\":1}\n{\"round\":2}\n{\"note\":\"x\"}\n{\"round\":3}\n";

// The file after resuming at `round` and appending {"round":9}.
std::string resumed(const ScratchFolder& scratch, const std::string& before, std::int64_t round) {
  put(scratch / "events.jsonl", before);
  auto log = EventLog::resume(scratch / "events.jsonl", round);
  EXPECT_TRUE(log) << log.error().message;
  EXPECT_TRUE(log->append({{"round", 9}}));
  return contents_of(scratch / "events.jsonl");
}

TEST(EventLog, EachEventIsALineThatIsThereAtOnce) {
  const ScratchFolder scratch;
  auto log = EventLog::create(scratch / "events.jsonl").value();
  ASSERT_TRUE(log.append({{"round", 1}, {"late", {2, 3}}}));
  EXPECT_EQ(contents_of(scratch / "events.jsonl"), "{\"late\":[2,3],\"round\":1}\n");
  ASSERT_TRUE(log.append({{"text", "two\nlines"}}));
  EXPECT_EQ(contents_of(scratch / "events.jsonl"),
            "{\"late\":[2,3],\"round\":1}\n{\"text\":\"two\\nlines\"}\n");
}

TEST(EventLog, ResumingCutsAfterTheRound) {
  const ScratchFolder scratch;
  const std::string start = kStart, next = "{\"round\":9}\n";
  EXPECT_EQ(resumed(scratch, start + kRounds, 1), start + "{\"round\":1}\n" + next);
  EXPECT_EQ(resumed(scratch, start + kRounds, 2), start + "{\"round\":1}\n{\"round\":2}\n" + next);
  EXPECT_EQ(resumed(scratch, start + kRounds, 3), start + kRounds + next);
  EXPECT_EQ(resumed(scratch, start + kRounds, 7), start + kRounds + next);
}

TEST(EventLog, ResumingBeforeTheFirstRoundKeepsWhatPrecedesRounds) {
  const ScratchFolder scratch;
  EXPECT_EQ(resumed(scratch, std::string(kStart) + kRounds, 0),
            std::string(kStart) + "{\"round\":9}\n");
  EXPECT_EQ(resumed(scratch, "", 0), "{\"round\":9}\n");
}

TEST(EventLog, ATornLastLineIsDropped) {
  const ScratchFolder scratch;
  const std::string last = "{\"round\":4,\"loss\":0.5}";
  for (std::size_t size = 1; size <= last.size(); ++size) {
    EXPECT_EQ(resumed(scratch, kRounds + last.substr(0, size), 5),
              std::string(kRounds) + "{\"round\":9}\n");
  }
}

TEST(EventLog, ADamagedLineInTheMiddleIsNamedAndNothingIsCut) {
  const ScratchFolder scratch;
  for (const std::string bad : {"{\"round\":2", "[]", "{\"round\":\"two\"}", "", "\xff"}) {
    const std::string before = "{\"round\":1}\n" + bad + "\n{\"round\":3}\n";
    put(scratch / "events.jsonl", before);
    const auto log = EventLog::resume(scratch / "events.jsonl", 1);
    ASSERT_FALSE(log) << bad;
    EXPECT_EQ(log.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(log.error().message, AllOf(HasSubstr("events.jsonl:2: "), HasSubstr("delete")));
    EXPECT_EQ(contents_of(scratch / "events.jsonl"), before);
  }
}

TEST(ReadEvents, EventsAreTheLinesWithoutATornLastOne) {
  const ScratchFolder scratch;
  put(scratch / "events.jsonl", std::string(kRounds) + "{\"round\":4,\"lo");
  const auto events = read_events(scratch / "events.jsonl").value();
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[2], nlohmann::json({{"note", "x"}}));
  put(scratch / "events.jsonl", "");
  EXPECT_TRUE(read_events(scratch / "events.jsonl").value().empty());
  EXPECT_EQ(read_events(scratch / "none.jsonl").error().code, ErrorCode::kBadFile);
}

TEST(ReadEvents, ADamagedLineIsNamed) {
  const ScratchFolder scratch;
  for (const std::string bad : {"{\"round\":2", "[]", "", "\xff"}) {
    put(scratch / "events.jsonl", "{\"round\":1}\n" + bad + "\n");
    const auto events = read_events(scratch / "events.jsonl");
    ASSERT_FALSE(events) << bad;
    EXPECT_EQ(events.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(events.error().message, HasSubstr("events.jsonl:2: "));
  }
}

TEST(EventLog, AMissingFileOrFullDiskIsAnErrorWithThePath) {
  const ScratchFolder scratch;
  EXPECT_FALSE(EventLog::resume(scratch / "none.jsonl", 1));
  const auto nowhere = EventLog::create(scratch / "none/events.jsonl");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("none/events.jsonl"));
  auto full = EventLog::create("/dev/full").value();
  const auto status = full.append({{"round", 1}});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("/dev/full"));
}

}  // namespace
}  // namespace fedvs::store
