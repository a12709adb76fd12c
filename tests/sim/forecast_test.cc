// Predicted times against those of real runs with other seeds, and the K that follows from them.
#include "fedvs/sim/forecast.h"

#include <cmath>

#include "fedvs/base/public_random.h"
#include "tests/support/world_fixture.h"

namespace fedvs::sim {
namespace {

using fedvs::testing::joined;
using fedvs::testing::Sets;

struct Case {
  const char* name;
  std::vector<int> features;  // per client
  std::size_t rows;           // of training
  Sets sets;
};

void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

PublicFacts facts_of(const Case& tested) {
  return {.features = tested.features, .rows = {tested.rows, 0, 30}, .classes = 3};
}

// Some table of that shape: times do not depend on what is in it.
data::PreparedJob table_of(const Case& tested) {
  const auto facts = facts_of(tested);
  auto random = PublicRandom::keyed({7});
  data::PreparedJob table;
  table.classes = facts.classes;
  for (int part = 0; part < data::kParts; ++part) {
    for (std::size_t i = 0; i < facts.rows[part]; ++i) {
      table.labels[part].push_back(static_cast<int>(i) % facts.classes);
    }
  }
  for (int count : tested.features) {
    auto& client = table.clients.emplace_back();
    for (int part = 0; part < data::kParts; ++part) {
      auto& features = client.features[part];
      features = {facts.rows[part], static_cast<std::size_t>(count), {}};
      features.values.resize(features.rows * features.cols);
      for (float& x : features.values) x = static_cast<float>(random.next_unit() - 0.5);
    }
  }
  return table;
}

Job job_of(const Case& tested, const Sets& more = {}) {
  return fedvs::testing::small_job(
      joined(joined({"train.batch_size=30", "train.epochs=1000"}, tested.sets), more));
}

// Seconds per round of runs with arithmetic, once the warm-up is over.
double measured(const Case& tested, int blocks) {
  constexpr std::size_t kSkipped = 15, kRounds = 200;
  constexpr int kSeeds = 8;
  double seconds = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const Job job =
        job_of(tested, {"code.K=" + std::to_string(blocks), "sim.seed=" + std::to_string(seed)});
    auto run = fedvs::testing::make_world(job, table_of(tested));
    run->run_until_round(kSkipped + kRounds);
    seconds += run->rounds().back().opened - run->rounds()[kSkipped - 1].opened;
  }
  return seconds / (kSeeds * static_cast<double>(kRounds));
}

class Prediction : public ::testing::TestWithParam<Case> {};

TEST_P(Prediction, IsWithin15PercentOfWhatRunsWithOtherSeedsTake) {
  const auto predicted =
      forecasts(job_of(GetParam(), {"code.K=auto"}), facts_of(GetParam())).value();
  const std::size_t step = predicted.size() > 4 ? 2 : 1;
  for (std::size_t i = 0; i < predicted.size(); i += step) {
    const int blocks = predicted[i].agreement.shape.blocks;
    ASSERT_TRUE(predicted[i].round.has_value()) << "K = " << blocks;
    const double ratio = predicted[i].round->mean / measured(GetParam(), blocks);
    EXPECT_NEAR(ratio, 1, 0.15) << "K = " << blocks;
  }
}

const std::vector<int> kEqual(9, 4), kViews = {76, 216, 64, 240, 47, 6}, kMany(16, 7);

INSTANTIATE_TEST_SUITE_P(
    Jobs, Prediction,
    ::testing::Values(
        Case{"EqualClientsThatDelay", kEqual, 600, {}},
        Case{"EqualClientsThatCompute", kEqual, 600, {"sim.client_gmacs=1e-5"}},
        Case{"ViewsThatDelay", kViews, 500, {"model.degrees=[2]"}},
        Case{"ViewsThatCompute", kViews, 500, {"model.degrees=[2]", "sim.client_gmacs=1e-4"}},
        Case{"ManyOfWhomTwoCollude", kMany, 900, {"code.T=2"}},
        Case{"ThePapersRoundThatDelays", kEqual, 600, {"method=fedvs-paper"}},
        Case{"ThePapersRoundThatComputes",
             kViews,
             500,
             {"method=fedvs-paper", "sim.client_gmacs=1e-4"}},
        Case{"SlowLinks", kViews, 500, {"sim.bandwidth_mbps=0.5"}},
        Case{"DroppedModels", kEqual, 600, {"protocol.late_models=drop"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

// ---- which K follows

Forecast at(int blocks, std::optional<double> seconds, bool interpolated = false) {
  Job job = job_of({"", kMany, 900, {}}, {"code.K=" + std::to_string(blocks)});
  Forecast forecast{.agreement = agree(job, facts_of({"", kMany, 900, {}})).value(), .round = {}};
  if (seconds) forecast.round = {.mean = *seconds, .spread = 0, .interpolated = interpolated};
  return forecast;
}

TEST(Fastest, IsTheSmallestWithinTwoPercentOfTheBest) {
  EXPECT_EQ(fastest(std::vector{at(1, 3.0), at(2, 1.03), at(3, 1.01), at(4, 1.0)}), 2u);
  EXPECT_EQ(fastest(std::vector{at(1, 1.0)}), 0u);
}

TEST(Fastest, IsOneThatWasTried) {
  EXPECT_EQ(fastest(std::vector{at(1, 2.0), at(2, 1.0, true), at(3, 1.0)}), 2u);
  EXPECT_EQ(fastest(std::vector{at(1, std::nullopt), at(2, 1.0)}), 1u);
  EXPECT_EQ(fastest(std::vector{at(1, std::nullopt)}), std::nullopt);
  EXPECT_EQ(fastest({}), std::nullopt);
}

TEST(Fastest, LooksNoFurtherThanWhereTimesRise) {
  EXPECT_EQ(fastest(std::vector{at(1, 1.0), at(2, 1.4), at(3, 0.9)}), 2u);
  EXPECT_EQ(fastest(std::vector{at(1, 1.0), at(2, 1.6), at(3, 0.9)}), 0u);
}

// 16 clients, K up to 7.
int automatic_blocks(const Sets& sets) {
  const Case tested{"", kMany, 900, joined({"code.K=auto"}, sets)};
  const Job job = job_of(tested);
  auto run = fedvs::testing::make_world(job, table_of(tested));
  // What the simulation takes is what the plan shows.
  const auto shown = forecasts(job, facts_of(tested)).value();
  EXPECT_EQ(run->world->agreement().shape, shown[fastest(shown).value()].agreement.shape);
  return run->world->agreement().shape.blocks;
}

TEST(AutomaticK, IsSmallWhereDelaysDominateAndLargeWhereComputingDoes) {
  EXPECT_EQ(automatic_blocks({}), 1);
  EXPECT_EQ(automatic_blocks({"sim.delays=none", "sim.client_gmacs=1e-5", "train.batch_size=28"}),
            7);
  const int between = automatic_blocks({"sim.client_gmacs=3e-6"});
  EXPECT_GT(between, 1);
  EXPECT_LT(between, 7);
}

TEST(AutomaticK, IsTheSameWhateverTheSeed) {
  const auto blocks = [](const std::string& seed) {
    const Case tested{"", kEqual, 900, {"code.K=auto", "sim.client_gmacs=1e-5", seed}};
    return agree_on_fastest(job_of(tested), facts_of(tested)).value().shape.blocks;
  };
  for (int seed = 2; seed < 6; ++seed) {
    EXPECT_EQ(blocks("sim.seed=" + std::to_string(seed)), blocks("sim.seed=1"));
  }
}

TEST(AutomaticK, OfMoreClientsThanCanBeTriedKeepsHalfOfThemDispensable) {
  const Case tested{"", std::vector<int>(kMostClientsTried + 1, 1), 900, {"code.K=auto"}};
  EXPECT_EQ(agree_on_fastest(job_of(tested), facts_of(tested)).value().shape.threshold(), 49);
  EXPECT_FALSE(forecasts(job_of(tested), facts_of(tested)).value()[0].round.has_value());
}

TEST(Forecasts, HaveATimeForEveryKOfManyClients) {
  const Case tested{"", std::vector<int>(42, 1), 900, {}};
  const auto all = forecasts(job_of(tested), facts_of(tested)).value();
  ASSERT_EQ(all.size(), 20u);  // R = 2 K + 1 <= 42
  std::size_t interpolated = 0;
  for (const auto& forecast : all) interpolated += forecast.round.value().interpolated ? 1 : 0;
  EXPECT_EQ(interpolated, all.size() - kMostBlocksTried);
}

TEST(Forecasts, OfAJobThatNoKAllowsSayWhy) {
  const Case tested{"", {4, 4}, 900, {}};
  const auto none = forecasts(job_of(tested), facts_of(tested));
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::kBadShape);
}

}  // namespace
}  // namespace fedvs::sim
