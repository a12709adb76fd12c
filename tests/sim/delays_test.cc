#include "fedvs/sim/delays.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace fedvs::sim {
namespace {

std::vector<double> sorted_means(const Delays& delays, int parties) {
  std::vector<double> means;
  for (int n = 0; n < parties; ++n) means.push_back(delays.mean(n));
  std::ranges::sort(means);
  return means;
}

TEST(Delays, HalfTheClientsRoundedDownStraggle) {
  // N = 5: three have mean 0.1, the i-th of the two others 2 + 4i/5.
  const Delays delays({}, 5, 64);
  EXPECT_EQ(delays.stragglers(), 2);
  EXPECT_THAT(sorted_means(delays, 5), ::testing::ElementsAre(0.1, 0.1, 0.1, 2.8, 3.6));
}

TEST(Delays, Figure1HasSixTenthsOfTheClientsRounded) {
  SimJob job;
  job.straggler_share = 0.6;
  const Delays delays(job, 28, 64);
  EXPECT_EQ(delays.stragglers(), 17);  // round(16.8)
  const auto means = sorted_means(delays, 28);
  EXPECT_DOUBLE_EQ(means[10], 0.1);
  EXPECT_DOUBLE_EQ(means[11], 2 + 4.0 / 28);
  EXPECT_DOUBLE_EQ(means[27], 2 + 4.0 * 17 / 28);
}

TEST(Delays, TheSeedOrdersTheClients) {
  std::vector<std::vector<double>> orders;
  for (int seed = 1; seed <= 3; ++seed) {
    SimJob job;
    job.seed = seed;
    const Delays delays(job, 10, 64);
    auto& order = orders.emplace_back();
    for (int n = 0; n < 10; ++n) order.push_back(delays.mean(n));
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[1], orders[2]);
}

TEST(Delays, ADelayIsKeyedByClientRoundAndKindWhateverWasDrawnBefore) {
  const Delays one({}, 10, 64), two({}, 10, 64);
  const double first = one.upload(3, 7);
  for (std::uint64_t round = 0; round < 20; ++round) two.upload(5, round);
  EXPECT_EQ(two.upload(3, 7), first);
  EXPECT_EQ(one.upload(3, 7), first);
  EXPECT_NE(one.upload(3, 8), first);
  EXPECT_NE(one.upload(4, 7) / one.mean(4), first / one.mean(3));
  const double factor = std::pow(std::log(10.0), 2) / 64;
  EXPECT_NE(one.share(3, 7) / factor, first);
}

// Mean and tail of an exponential, within four standard errors.
void expect_exponential(const std::function<double(std::uint64_t)>& draw, double mean) {
  constexpr int kDraws = 20000;
  double sum = 0;
  int beyond = 0;
  for (std::uint64_t round = 0; round < kDraws; ++round) {
    const double seconds = draw(round);
    ASSERT_GE(seconds, 0);
    sum += seconds;
    beyond += seconds > mean;
  }
  EXPECT_NEAR(sum / kDraws, mean, 4 * mean / std::sqrt(kDraws));
  EXPECT_NEAR(beyond / double{kDraws}, std::exp(-1.0), 4 * 0.5 / std::sqrt(kDraws));
}

TEST(Delays, AreExponential) {
  const Delays delays({}, 9, /*batch_rows=*/10);
  for (int client : {0, 1, 4}) {
    const double mean = delays.mean(client);
    expect_exponential([&](auto round) { return delays.upload(client, round); }, mean);
    // Sharing models: the mean times ln(N)^2 / b.
    expect_exponential([&](auto round) { return delays.share(client, round); },
                       mean * std::pow(std::log(9.0), 2) / 10);
  }
}

TEST(Delays, NoneMeansNone) {
  SimJob job;
  job.delays = DelayKind::kNone;
  const Delays delays(job, 9, 10);
  EXPECT_EQ(delays.stragglers(), 0);
  for (int n = 0; n < 9; ++n) {
    EXPECT_EQ(delays.upload(n, 3), 0);
    EXPECT_EQ(delays.share(n, 3), 0);
  }
}

}  // namespace
}  // namespace fedvs::sim
