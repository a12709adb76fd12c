#include "fedvs/party/gradient_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/store/scratch_folder.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/wire_samples.h"

namespace fedvs::party {
namespace {

using protocol::StepNumber;
using ::testing::HasSubstr;

class GradientLogTest : public ::testing::Test {
 protected:
  explicit GradientLogTest(std::vector<std::string> sets = {"model.width=3", "train.batch_size=10"})
      : agreement_(testing::wire_agreement("rns4", 7, 2, std::move(sets))),
        samples_(agreement_, 3) {}

  std::unique_ptr<GradientLog> open() { return GradientLog::open(file_, agreement_).value(); }
  // Of that step; its first value tells the step again.
  protocol::SentGradient gradient(StepNumber step) {
    auto plan = samples_.plan();
    plan.round = step;
    std::vector<float> values(plan.rows.size() * agreement_.width *
                              static_cast<std::size_t>(agreement_.shape.blocks));
    values[0] = static_cast<float>(step);
    return {std::make_shared<const protocol::Gradient>(
                std::make_shared<const protocol::Plan>(std::move(plan)), std::move(values)),
            0.5};
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
    }
    if (from > 0) {
      EXPECT_EQ(log.read(from - 1).error().code, ErrorCode::kBadFile);
    }
    EXPECT_EQ(log.read(to).error().code, ErrorCode::kBadFile);
  }

  ScratchFolder folder_;
  const std::filesystem::path file_ = folder_ / "gradients.log";
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
  EXPECT_THAT(cut.error().message, HasSubstr("restore the server's folder whole"));
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

// Large enough that the file is worth writing anew.
class LargeGradientLogTest : public GradientLogTest {
 protected:
  LargeGradientLogTest() : GradientLogTest({"model.width=4096", "train.batch_size=256"}) {}
};

TEST_F(LargeGradientLogTest, TheFileShrinksOnceMostOfItIsForgotten) {
  auto log = open();
  append(*log, 0, 18);
  const auto before = std::filesystem::file_size(file_);
  ASSERT_GT(before, std::uintmax_t{64} << 20);
  log->forget_before(16);
  EXPECT_LT(std::filesystem::file_size(file_), before / 4);
  expect_steps(*log, 16, 18);
  append(*log, 18, 19);
  expect_steps(*open(), 16, 19);
}

TEST_F(LargeGradientLogTest, AServerWhoseClientsHaveSavedEverythingCanRestart) {
  auto log = open();
  append(*log, 0, 18);
  log->forget_before(18);
  log = open();
  EXPECT_TRUE(log->cut_to(18));
  append(*log, 18, 19);
  expect_steps(*log, 17, 19);
}

}  // namespace
}  // namespace fedvs::party
