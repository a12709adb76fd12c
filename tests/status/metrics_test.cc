// The status for Prometheus.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "fedvs/status/text.h"
#include "tests/status/exposition.h"
#include "tests/status/sample_status.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::status {
namespace {

Exposition read(const party::RunStatus& status) {
  const std::string text = status_metrics(status);
  Exposition exposition = ExpositionReader::read(text);
  EXPECT_EQ(exposition.wrong, "") << text;
  return exposition;
}

party::RunStatus nasty_status() {
  party::RunStatus status = sample_status();
  status.job = "C:\\data \"x\"\n{}= \xff é";
  status.progress.loss = std::numeric_limits<double>::quiet_NaN();
  status.running_seconds = 1e-9;
  status.rounds_per_second = std::numeric_limits<double>::infinity();
  status.relayed_bytes = std::numeric_limits<std::uint64_t>::max();
  return status;
}

TEST(StatusMetrics, FollowTheFormatsGrammar) {
  read(sample_status());
  read(party::RunStatus{});
  read(nasty_status());
}

TEST(StatusMetrics, GiveTheRunsNumbers) {
  const auto all = read(sample_status()).series;
  EXPECT_EQ(all.at("fedvs_round"), 341);
  EXPECT_EQ(all.at("fedvs_rounds_expected"), 1170);
  EXPECT_EQ(all.at("fedvs_clients_needed"), 5);
  EXPECT_EQ(all.at("fedvs_test_accuracy"), 0.851);
  EXPECT_EQ(all.at("fedvs_loss"), 0.4312);
  EXPECT_EQ(all.at("fedvs_relayed_bytes_total"), 1'234'567'890);
  EXPECT_EQ(all.at("fedvs_run_info{job=\"credit-card\",phase=\"training\"}"), 1);
}

TEST(StatusMetrics, GiveEveryClientsNumbers) {
  const Exposition exposition = read(sample_status());
  const auto& all = exposition.series;
  EXPECT_EQ(all.at("fedvs_client_connected{client=\"bank-a\"}"), 1);
  EXPECT_EQ(all.at("fedvs_client_connected{client=\"clinic\"}"), 0);
  EXPECT_EQ(all.at("fedvs_client_dead{client=\"lab\"}"), 1);
  EXPECT_EQ(all.at("fedvs_client_late_seconds{client=\"bank-b\"}"), 3.25);
  EXPECT_EQ(all.at("fedvs_client_received_bytes_total{client=\"bank-b\"}"), 12'345'678);
  EXPECT_EQ(all.at("fedvs_client_sent_bytes_total{client=\"bank-b\"}"), 987'654);
  EXPECT_EQ(all.at("fedvs_client_restarts_total{client=\"shop\"}"), 2);
  EXPECT_EQ(exposition.types.at("fedvs_client_restarts_total"), "counter");
  EXPECT_EQ(exposition.types.at("fedvs_client_connected"), "gauge");
}

TEST(StatusMetrics, GiveTheRowsThatEveryClientHasWhileTheyAreShared) {
  const auto all = read(sharing_status()).series;
  EXPECT_EQ(all.at("fedvs_client_rows_held_ratio{client=\"bank-a\"}"), 1);
  EXPECT_NEAR(all.at("fedvs_client_rows_held_ratio{client=\"bank-b\"}"), 5.75 / 7, 1e-9);
  EXPECT_EQ(all.at("fedvs_sharing_seconds_left"), 90);
}

TEST(StatusMetrics, WhatIsNotKnownHasNoLine) {
  party::RunStatus status = sample_status();
  status.progress.accuracy.reset();
  const auto all = read(status).series;
  EXPECT_FALSE(all.contains("fedvs_test_accuracy"));
  EXPECT_FALSE(all.contains("fedvs_client_late_seconds{client=\"nobody\"}"));
  EXPECT_TRUE(all.contains("fedvs_client_connected{client=\"nobody\"}"));
}

TEST(StatusMetrics, EscapeWhatWouldEndALabel) {
  const auto all = read(nasty_status()).series;
  EXPECT_TRUE(
      all.contains("fedvs_run_info{job=\"C:\\\\data \\\"x\\\"?{}= ? é\",phase=\"training\"}"))
      << status_metrics(nasty_status());
  EXPECT_TRUE(std::isnan(all.at("fedvs_loss")));
  EXPECT_TRUE(std::isinf(all.at("fedvs_rounds_per_second")));
}

TEST(StatusMetrics, TheReaderOfThisTestRefusesWhatIsWrong) {
  const std::string head = "# HELP a_total Of a.\n# TYPE a_total counter\n";
  EXPECT_EQ(ExpositionReader::read(head + "a_total{x=\"y\\\\\"} 1e+20\n").wrong, "");
  for (const std::string wrong :
       {"a_total 1", "a_total one\n", "a_total{x=\"\"\"} 1\n", "a_total{x=\"\\y\"} 1\n",
        "b_total 1\n", "a_total 1\na_total 1\n", "a_total{1x=\"y\"} 1\n",
        "# TYPE a_total counter\n", "# HELP a_total Again.\n", "a_total  1\n",
        "# HELP b Of b.\n# TYPE b counter\nb 1\n"}) {
    EXPECT_NE(ExpositionReader::read(head + wrong).wrong, "") << wrong;
  }
}

TEST(StatusMetrics, PromtoolFindsNoFault) {
  if (std::system("command -v promtool > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "promtool (Debian: prometheus) is not here";
  }
  const ScratchFolder folder;
  for (const auto& status : {sample_status(), party::RunStatus{}, nasty_status()}) {
    put(folder / "metrics", status_metrics(status));
    EXPECT_EQ(std::system(("promtool check metrics < " + (folder / "metrics").string()).c_str()),
              0);
  }
}

}  // namespace
}  // namespace fedvs::status
