#include "fedvs/run/metrics_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/store/scratch_folder.h"

namespace fedvs::run {
namespace {

using testing::HasSubstr;

constexpr const char* kHeader =
    "epoch,round,virtual_seconds,wall_seconds,train_loss,test_loss,test_accuracy,"
    "test_balanced_accuracy,test_f1,test_auc,validation_loss,validation_accuracy,majority,"
    "bytes_per_client\n";

MetricsRow row_of(std::int64_t epoch) {
  MetricsRow row;
  row.epoch = epoch;
  row.round = 10 * epoch;
  row.train_loss = 0.1 + 0.2;
  row.bytes_per_client = 1234567890123;
  return row;
}

std::string three_epochs(const ScratchFolder& scratch) {
  auto log = MetricsLog::create(scratch / "metrics.csv").value();
  for (int epoch = 1; epoch <= 3; ++epoch) EXPECT_TRUE(log.append(row_of(epoch)));
  return contents_of(scratch / "metrics.csv");
}

TEST(MetricsLog, WritesAHeaderAndEmptyCellsForWhatWasNotMeasured) {
  const ScratchFolder scratch;
  auto log = MetricsLog::create(scratch / "metrics.csv").value();
  ASSERT_TRUE(log.append(row_of(1)));
  std::string expected = kHeader;
  expected += "1,10,,,0.30000000000000004,,,,,,,,,1234567890123\n";
  EXPECT_EQ(contents_of(scratch / "metrics.csv"), expected);
}

TEST(MetricsLog, ReadsBackTheSameNumbers) {
  const ScratchFolder scratch;
  three_epochs(scratch);
  const auto rows = read_metrics(scratch / "metrics.csv").value();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2].round, 30);
  EXPECT_EQ(rows[2].train_loss, 0.1 + 0.2);
  EXPECT_EQ(rows[2].bytes_per_client, 1234567890123);
  EXPECT_TRUE(std::isnan(rows[2].test_auc));
}

TEST(MetricsLog, ResumingKeepsRowsUpToTheRound) {
  const ScratchFolder scratch;
  const std::string all = three_epochs(scratch);
  ASSERT_TRUE(MetricsLog::resume(scratch / "metrics.csv", 25)->append(row_of(3)));
  EXPECT_EQ(contents_of(scratch / "metrics.csv"), all);
  ASSERT_TRUE(MetricsLog::resume(scratch / "metrics.csv", 9));
  EXPECT_EQ(contents_of(scratch / "metrics.csv"), kHeader);
}

TEST(MetricsLog, WhereverTheFileWasTornResumingGivesWholeRows) {
  const ScratchFolder scratch;
  const std::string all = three_epochs(scratch);
  for (std::size_t size = 0; size < all.size(); ++size) {
    put(scratch / "metrics.csv", all.substr(0, size));
    auto log = MetricsLog::resume(scratch / "metrics.csv", 100);
    ASSERT_TRUE(log) << log.error().message;
    const std::string kept = contents_of(scratch / "metrics.csv");
    EXPECT_TRUE(kept.starts_with(kHeader)) << size;
    EXPECT_TRUE(all.starts_with(kept)) << size;
    EXPECT_TRUE(read_metrics(scratch / "metrics.csv")) << size;
  }
}

TEST(MetricsLog, ARowThatIsNoneIsNamedByReadersAndSetAsideByTheWriter) {
  const ScratchFolder scratch;
  int number = 0;
  for (const std::string bad :
       {"1,2", "x,10,,,,,,,,,,,,0", "1,,,,,,,,,,,,,0", "1,1,1e,,,,,,,,,,,0"}) {
    const std::string before = kHeader + bad + "\n";
    put(scratch / "metrics.csv", before);
    const auto error = read_metrics(scratch / "metrics.csv").error();
    EXPECT_EQ(error.code, ErrorCode::kCorrupt) << bad;
    EXPECT_THAT(error.message, HasSubstr("metrics.csv:2: ")) << bad;
    ASSERT_TRUE(MetricsLog::resume(scratch / "metrics.csv", 1));
    EXPECT_EQ(contents_of(scratch / "metrics.csv"), kHeader);
    EXPECT_EQ(contents_of(scratch / ("metrics.csv.damaged-" + std::to_string(++number))), before);
  }
}

TEST(MetricsLog, AFileWithAnotherHeaderIsSetAside) {
  const ScratchFolder scratch;
  put(scratch / "metrics.csv", "epoch,loss\n1,2\n");
  ASSERT_TRUE(MetricsLog::resume(scratch / "metrics.csv", 1)->append(row_of(1)));
  EXPECT_EQ(read_metrics(scratch / "metrics.csv")->size(), 1u);
  EXPECT_EQ(contents_of(scratch / "metrics.csv.damaged-1"), "epoch,loss\n1,2\n");
}

}  // namespace
}  // namespace fedvs::run
