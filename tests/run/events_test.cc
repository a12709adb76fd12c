#include "fedvs/run/events.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/store/scratch_folder.h"

namespace fedvs::run {
namespace {

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

TEST(EventLog, ADamagedFileIsSetAsideAndANewOneBegun) {
  const ScratchFolder scratch;
  std::mt19937 random(3);
  std::string noise(4000, ' ');
  for (char& c : noise) c = static_cast<char>(random());
  int number = 0;
  for (const std::string before :
       {"{\"round\":1}\n{\"round\":2\n{\"round\":3}\n", "{\"round\":1}\n[]\n", "\n{\"round\":3}\n",
        "{\"round\":\"two\"}\n", "{\"round\":1}\n\xff\n"}) {
    EXPECT_EQ(resumed(scratch, before, 1), "{\"round\":9}\n") << before;
    const auto aside = scratch / fmt::format("events.jsonl.damaged-{}", ++number);
    EXPECT_EQ(contents_of(aside), before);
  }
  for (const auto& before : {noise, std::string(4000, '\0'), kRounds + noise}) {
    EXPECT_EQ(resumed(scratch, before, 7), "{\"round\":9}\n");
    const auto aside = scratch / fmt::format("events.jsonl.damaged-{}", ++number);
    EXPECT_EQ(contents_of(aside), before);
  }
}

TEST(EventLog, ZerosThatAPowerCutLeftAfterTheLastLineAreATornLine) {
  const ScratchFolder scratch;
  EXPECT_EQ(resumed(scratch, kRounds + std::string(5000, '\0'), 7),
            std::string(kRounds) + "{\"round\":9}\n");
  EXPECT_EQ(resumed(scratch, std::string(kRounds) + "{\"rou" + std::string(90, '\0'), 7),
            std::string(kRounds) + "{\"round\":9}\n");
  EXPECT_FALSE(std::filesystem::exists(scratch / "events.jsonl.damaged-1"));
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

TEST(EventLog, AMissingFileIsBegun) {
  const ScratchFolder scratch;
  ASSERT_TRUE(EventLog::resume(scratch / "none.jsonl", 1)->append({{"round", 9}}));
  EXPECT_EQ(contents_of(scratch / "none.jsonl"), "{\"round\":9}\n");
}

TEST(EventLog, AMissingFolderOrFullDiskIsAnErrorWithThePath) {
  const ScratchFolder scratch;
  const auto nowhere = EventLog::create(scratch / "none/events.jsonl");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("none/events.jsonl"));
  auto full = EventLog::create("/dev/full").value();
  const auto status = full.append({{"round", 1}});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("/dev/full"));
}

}  // namespace
}  // namespace fedvs::run
