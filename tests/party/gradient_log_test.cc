#include "fedvs/party/gradient_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/scratch_folder.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/wire_samples.h"

namespace fedvs::party {
namespace {

using protocol::StepNumber;
using ::testing::AllOf;
using ::testing::HasSubstr;

class GradientLogTest : public ::testing::Test {
 protected:
  explicit GradientLogTest(std::vector<std::string> sets = {"model.width=3", "train.batch_size=10"})
      : agreement_(testing::wire_agreement("rns4", 7, 2, std::move(sets))),
        samples_(agreement_, 3) {}

  std::unique_ptr<GradientLog> open(GradientLog::Room room = {}) {
    return GradientLog::open(folder_.path(), agreement_, room).value();
  }
  // Of that step; its first value tells the step again.
  protocol::SentGradient gradient(StepNumber step) {
    auto plan = samples_.plan();
    plan.round = step;
    std::vector<float> values(plan.rows.size() * agreement_.width *
                              static_cast<std::size_t>(agreement_.shape.blocks));
    values[0] = static_cast<float>(step);
    return {std::make_shared<const protocol::Gradient>(
                std::make_shared<const protocol::Plan>(std::move(plan)), std::move(values)),
            0.5, Digest{static_cast<std::uint8_t>(step)}};
  }
  void append(GradientLog& log, StepNumber from, StepNumber to) {
    for (auto step = from; step < to; ++step) ASSERT_TRUE(log.append(gradient(step)));
  }
  // It holds just the gradients of these steps.
  void expect_steps(const GradientLog& log, StepNumber from, StepNumber to) {
    EXPECT_EQ(log.oldest(), from);
    for (auto step = from; step < to; ++step) {
      const auto read = log.read(step);
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->gradient->plan().round, step);
      EXPECT_EQ(read->gradient->values()[0], static_cast<float>(step));
      EXPECT_EQ(read->rate_factor, 0.5);
      EXPECT_EQ(read->before, Digest{static_cast<std::uint8_t>(step)});
    }
    if (from > 0) {
      EXPECT_EQ(log.read(from - 1).error().code, ErrorCode::kBadFile);
    }
    EXPECT_EQ(log.read(to).error().code, ErrorCode::kBadFile);
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }
  std::uintmax_t bytes() const {
    std::uintmax_t all = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      all += entry.file_size();
    }
    return all;
  }
  // How large one gradient is in the log, about.
  std::uint64_t one() {
    const ScratchFolder other;
    auto log = GradientLog::open(other.path(), agreement_).value();
    EXPECT_TRUE(log->append(gradient(0)));
    return std::filesystem::file_size(other / "gradients-0.log");
  }

  ScratchFolder folder_;
  const std::filesystem::path file_ = folder_ / "gradients-0.log";
  const protocol::Agreement agreement_;
  testing::WireSamples samples_;
};

TEST_F(GradientLogTest, ReadsBackWhatWasAppendedAlsoAfterARestart) {
  auto log = open();
  expect_steps(*log, 0, 0);
  append(*log, 0, 10);
  expect_steps(*log, 0, 10);
  log = open();
  expect_steps(*log, 0, 10);
  append(*log, 10, 12);
  expect_steps(*open(), 0, 12);
}

TEST_F(GradientLogTest, AGradientThatWasNeverSentIsCutOff) {
  {
    auto log = open();
    append(*log, 0, 10);
  }
  auto log = open();
  ASSERT_TRUE(log->cut_to(9));
  expect_steps(*log, 0, 9);
  append(*log, 9, 11);  // another one in its place
  expect_steps(*open(), 0, 11);
}

TEST_F(GradientLogTest, GradientsThatAreMissingAreAnError) {
  auto log = open();
  append(*log, 0, 10);
  const auto cut = log->cut_to(11);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(cut.error().message,
              AllOf(HasSubstr("gradients-0.log"), HasSubstr("put back a copy")));
}

TEST_F(GradientLogTest, ATornEndIsCutAtTheLastWholeGradient) {
  {
    auto log = open();
    append(*log, 0, 3);
  }
  const std::string whole = contents_of(file_);
  for (std::size_t size = whole.size() - 1; size > whole.size() * 2 / 3; size -= 7) {
    put(file_, whole.substr(0, size));
    expect_steps(*open(), 0, 2);
  }
}

TEST_F(GradientLogTest, ForgottenGradientsAreGone) {
  auto log = open();
  append(*log, 0, 10);
  log->forget_before(6);
  expect_steps(*log, 6, 10);
  append(*log, 10, 12);
  expect_steps(*log, 6, 12);
  log->forget_before(3);  // less than before
  expect_steps(*log, 6, 12);
}

TEST_F(GradientLogTest, AFullDiskIsAnErrorAndTheLogGoesOnOnceThereIsRoom) {
  auto log = open();
  append(*log, 0, 2);
  {
    const testing::FileSizeLimit full(std::filesystem::file_size(file_) + 10);
    EXPECT_FALSE(log->append(gradient(2)));
  }
  expect_steps(*log, 0, 2);
  append(*log, 2, 4);
  expect_steps(*open(), 0, 4);
}

TEST_F(GradientLogTest, SegmentsThatNobodyNeedsAreRemoved) {
  auto log = open({.segment = 2 * one()});
  append(*log, 0, 20);
  const auto before = bytes();
  EXPECT_GE(files(), 7u);
  log->forget_before(16);
  EXPECT_LE(files(), 3u);
  EXPECT_LT(bytes(), before / 3);
  expect_steps(*log, 16, 20);
  append(*log, 20, 22);
  log = open({.segment = 2 * one()});
  EXPECT_LE(log->oldest(), 16u);
  EXPECT_GE(log->oldest(), 14u);
  expect_steps(*log, log->oldest(), 22);
}

TEST_F(GradientLogTest, ARunOfThousandsOfRoundsTakesNoMoreRoomThanItIsGiven) {
  const auto size = one();
  auto log = open({.segment = 10 * size, .all = 50 * size});
  std::uintmax_t most = 0;
  for (StepNumber step = 0; step < 2000; ++step) {
    ASSERT_TRUE(log->append(gradient(step)));
    log->forget_before(log->oldest_that_fits());
    if (step % 50 == 0) most = std::max(most, bytes());
  }
  EXPECT_LE(most, 62 * size);
  EXPECT_GE(2000 - log->oldest(), 39u);
  expect_steps(*log, log->oldest(), 2000);
}

TEST_F(GradientLogTest, AServerWhoseClientsHaveSavedEverythingCanRestart) {
  for (const StepNumber sent : {18, 17}) {  // also where the last one was never sent
    auto log = open({.segment = 1});
    if (sent == 18) append(*log, 0, 18);
    log->forget_before(18);
    EXPECT_EQ(files(), 1u);
    log = open({.segment = 1});
    ASSERT_TRUE(log->cut_to(sent)) << log->cut_to(sent).error().message;
    log = open({.segment = 1});
    ASSERT_TRUE(log->cut_to(sent));
    append(*log, sent, 18);
    expect_steps(*log, 17, 18);
  }
}

TEST_F(GradientLogTest, ADamagedOldSegmentIsSetAsideWithThoseBeforeIt) {
  {
    auto log = open({.segment = 1});
    append(*log, 0, 6);
  }
  std::string bytes = contents_of(folder_ / "gradients-2.log");
  bytes[40] = static_cast<char>(~bytes[40]);
  put(folder_ / "gradients-2.log", bytes + bytes);
  auto log = open({.segment = 1});
  ASSERT_TRUE(log->cut_to(6));
  expect_steps(*log, 3, 6);
  EXPECT_EQ(contents_of(folder_ / "gradients-2.log.damaged-1"), bytes + bytes);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "gradients-0.log.damaged-1"));
}

TEST_F(GradientLogTest, ADamagedNewestSegmentStopsAndIsLeftAsItIs) {
  {
    auto log = open();
    append(*log, 0, 6);
  }
  std::string bytes = contents_of(file_);
  bytes[40] = static_cast<char>(~bytes[40]);
  put(file_, bytes);
  const auto log = GradientLog::open(folder_.path(), agreement_);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message,
              AllOf(HasSubstr("gradients-0.log is damaged"), HasSubstr("put back a copy")));
  EXPECT_EQ(contents_of(file_), bytes);
}

}  // namespace
}  // namespace fedvs::party
