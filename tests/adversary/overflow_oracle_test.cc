// A server that sends huge gradients, one strength t per column of the embedding, all along one row
// j. Where a client scales a column that would overflow down to the bound, its share of the sum
// grows with t up to a knot and is constant from there: the sum has a knot for every client, and
// the slope that it loses there is that client's column of the Gram matrix.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fedvs/protocol/segments.h"
#include "tests/adversary/puppets.h"

namespace fedvs {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace protocol;  // NOLINT: a test's

using Columns = std::vector<std::vector<double>>;  // [client or knot][sample]

// Clients in training, whose weights are still small.
class OverflowOracle : public ::testing::Test {
 protected:
  explicit OverflowOracle(const testing::Sets& sets = {"train.lr_client=0.001",
                                                       "model.init_scale=0.0005",
                                                       "model.width=128"})
      : stage_(testing::joined(
            sets, {"train.epochs=9", "train.client_optimizer=sgd", "protocol.warmup_rounds=2"})),
        puppets_(stage_),
        rows_(a().batch_rows()) {
    stage_.sign_nothing();  // the attacker has the key: what else keeps it from it?
    stage_.start();
    stage_.run([this] { return stage_.server().rounds() >= 4; });
    std::iota(rows_.begin(), rows_.end(), 0u);
    epoch_ = stage_.recorder.rounds.back().plan->epoch + 1;
  }
  const Agreement& a() const { return stage_.agreement(); }
  std::size_t samples() const { return rows_.size() * static_cast<std::size_t>(a().shape.blocks); }
  std::size_t clients() const { return static_cast<std::size_t>(a().shape.parties); }
  static float strength(std::size_t column) { return 1000.0f * static_cast<float>(column + 1); }

  std::vector<float> along_one_row() const {
    std::vector<float> values(samples() * a().width, 0.0f);
    for (std::size_t c = 0; c < a().width; ++c) values[c] = strength(c);
    return values;
  }

  using Sums = std::optional<std::vector<std::int64_t>>;
  struct Opened {
    Sums before, after;
  };
  // Opens rows, sends these values as the gradient of the very plan, and opens them once more.
  Opened open_around(const std::vector<float>& values) {
    puppets_.cut_connections();
    puppets_.say_to_all(puppets_.welcome());
    puppets_.settle();
    const std::uint64_t round = puppets_.round();
    Opened opened;
    Step step = puppets_.step();
    step.plan = std::make_shared<const Plan>(puppets_.plan(round, epoch_, rows_));
    puppets_.say_to_all(step);
    puppets_.settle();
    opened.before = puppets_.open(*step.plan);
    step.gradient = std::make_shared<const Gradient>(step.plan, values);
    step.plan = std::make_shared<const Plan>(puppets_.plan(round + 1, epoch_ + 1, rows_));
    puppets_.say_to_all(step);
    puppets_.settle();
    opened.after = puppets_.open(*step.plan);
    return opened;
  }

  // ---- what the server makes of it

  // [sample][strength]
  Columns differences(const Opened& opened) const {
    Columns told(samples(), std::vector<double>(a().width));
    const double unit = std::ldexp(1.0, -a().scales.l_x - a().scales.l_w);
    for (std::size_t i = 0; i < samples(); ++i) {
      for (std::size_t c = 0; c < a().width; ++c) {
        const std::size_t at = i * a().width + c;
        told[i][c] = unit * static_cast<double>((*opened.after)[at] - (*opened.before)[at]);
      }
    }
    return told;
  }
  // The slopes lost at each knot, in units of the Gram matrix.
  Columns knots(const Columns& sums) const {
    const std::size_t steps = a().width - 1;
    std::vector<double> bend(steps, 0.0);
    const auto slope = [&](std::size_t i, std::size_t c) { return sums[i][c + 1] - sums[i][c]; };
    for (std::size_t c = 1; c < steps; ++c) {
      for (std::size_t i = 0; i < samples(); ++i)
        bend[c] += std::abs(slope(i, c) - slope(i, c - 1));
    }
    const double least = 0.04 * *std::ranges::max_element(bend);
    Columns segments, found;
    int straight = 0;  // pieces of the segment
    for (std::size_t c = 0; c < steps; ++c) {
      const bool bends = bend[c] > least || (c + 1 < steps && bend[c + 1] > least);
      if (bends && straight > 0) straight = 0;
      if (bends) continue;
      if (straight++ == 0) segments.emplace_back(samples(), 0.0);
      for (std::size_t i = 0; i < samples(); ++i) {
        double& mean = segments.back()[i];
        mean += (slope(i, c) - mean) / straight;
      }
    }
    const double unit = -static_cast<double>(clients()) / (strength(0) * kRate);
    for (std::size_t s = 1; s < segments.size(); ++s) {
      auto& lost = found.emplace_back(samples());
      for (std::size_t i = 0; i < samples(); ++i) {
        lost[i] = unit * (segments[s - 1][i] - segments[s][i]);
      }
    }
    return found;
  }

  // ---- the truth

  std::vector<double> reals(int n, std::size_t sample) {
    const auto& rows = puppets_.model(n).rows(data::Part::kTrain);
    std::vector<std::int32_t> x(rows.cols());
    rows.integers(sample, x);
    std::vector<double> real;
    for (std::int32_t value : x) real.push_back(std::ldexp(value, -a().scales.l_x));
    return real;
  }
  std::vector<double> gram_column(int n) {
    const auto sample = samples_of(a(), data::Part::kTrain, rows_);
    const auto first = reals(n, sample[0]);
    std::vector<double> column;
    for (std::size_t i = 0; i < samples(); ++i) {
      const auto row = reals(n, sample[i]);
      column.push_back(std::inner_product(row.begin(), row.end(), first.begin(), 0.0));
    }
    return column;
  }
  // Entries of single clients' Gram matrices that a knot tells within 10 % of the largest; knots
  // that tell fewer than three quarters of a column tell of several clients at once.
  int entries_read(const Columns& found) {
    int read = 0;
    for (int n = 0; n < a().shape.parties; ++n) {
      const auto truth = gram_column(n);
      const double room = 0.1 * *std::ranges::max_element(truth);
      std::ptrdiff_t best = 0;
      for (const auto& knot : found) {
        std::ptrdiff_t right = 0;
        for (std::size_t i = 0; i < samples(); ++i) right += std::abs(knot[i] - truth[i]) < room;
        best = std::max(best, right);
      }
      if (4 * best >= 3 * static_cast<std::ptrdiff_t>(samples())) read += static_cast<int>(best);
    }
    return read;
  }

  // A small model of the projection that clients once had: what the differences would be, were
  // every column scaled down to the bound.
  Columns with_projection() {
    Columns sums(samples(), std::vector<double>(a().width, 0.0));
    const auto sample = samples_of(a(), data::Part::kTrain, rows_);
    for (int n = 0; n < a().shape.parties; ++n) {
      double longest = 0;
      for (std::size_t row = 0; row < a().rows[0]; ++row) {
        const auto x = reals(n, row);
        longest = std::max(longest, std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
      }
      const auto gram = gram_column(n);
      const double bound = static_cast<double>((a().ring.modulus() - 1) / 2) /
                           std::ldexp(a().shape.parties, a().scales.l_x + a().scales.l_w) /
                           std::sqrt(longest);
      for (std::size_t c = 0; c < a().width; ++c) {
        const double grown = kRate * strength(c) / a().shape.parties;  // times row j
        const double kept = std::min(grown, bound / std::sqrt(gram[0]));
        for (std::size_t i = 0; i < samples(); ++i) sums[i][c] -= kept * gram[i];
      }
    }
    return sums;
  }

  static constexpr double kRate = 0.001;
  testing::Stage stage_;
  testing::Puppets puppets_;
  std::vector<std::size_t> rows_;
  int epoch_ = 0;
};

TEST_F(OverflowOracle, AProjectionTellsSingleClientsGramMatrices) {
  const auto found = knots(with_projection());
  const int read = entries_read(found);
  std::printf("with a projection: %zu knots, %d Gram entries of single clients\n", found.size(),
              read);
  EXPECT_GE(read, 5 * static_cast<int>(samples()));
}

TEST_F(OverflowOracle, HugeGradientsAreRefusedAndNothingIsUploaded) {
  const Opened opened = open_around(along_one_row());
  ASSERT_TRUE(opened.before);
  const int read = opened.after ? entries_read(knots(differences(opened))) : 0;
  std::printf("from real clients: %d Gram entries of single clients\n", read);
  EXPECT_FALSE(opened.after);
  EXPECT_EQ(read, 0);
  EXPECT_THAT(puppets_.refusals(), SizeIs(clients()));
  EXPECT_THAT(puppets_.refusals(), Each(HasSubstr("train.gradient_clip is 10")));
  EXPECT_EQ(puppets_.newest_shared(), puppets_.round());
}

class NoNumbers : public OverflowOracle, public ::testing::WithParamInterface<float> {};

TEST_P(NoNumbers, GradientsOfThemAreRefused) {
  std::vector<float> values(samples() * a().width, 0.0f);
  values.back() = GetParam();
  EXPECT_FALSE(open_around(values).after);
  EXPECT_THAT(puppets_.refusals(), SizeIs(clients()));
  EXPECT_THAT(puppets_.refusals(), Each(HasSubstr("a row of norm inf")));
}

INSTANTIATE_TEST_SUITE_P(All, NoNumbers,
                         ::testing::Values(std::numeric_limits<float>::infinity(),
                                           -std::numeric_limits<float>::infinity(),
                                           std::numeric_limits<float>::quiet_NaN()));

class SlowOverflow : public OverflowOracle {
 protected:
  SlowOverflow() : OverflowOracle({"train.lr_client=5"}) {}
};

// Within the clip a server can still drive a model out of the ring, openly: whose does not fit any
// more says so instead of sharing it, and that is all.
TEST_F(SlowOverflow, AModelThatOutgrowsTheRingIsNotShared) {
  std::vector<float> values(samples() * a().width, 0.0f);
  for (std::size_t i = 0; i < samples(); ++i) values[i * a().width] = 10.0f;
  const Opened opened = open_around(values);
  EXPECT_TRUE(opened.before);
  EXPECT_FALSE(opened.after);
  EXPECT_THAT(puppets_.refusals(), SizeIs(clients()));
  EXPECT_THAT(puppets_.refusals(),
              Each(AllOf(HasSubstr("has outgrown ring rns4"), HasSubstr("would do"))));
  EXPECT_EQ(puppets_.newest_shared(), puppets_.round());
}

// The withdrawal itself as an oracle: the server has one client learn along one row, a little more
// with every gradient, until its model does not fit. When that was tells the row's length. Then it
// ends the client, whose operator's machine starts it again; takes the gradients back; and goes on
// with the next row.
class Withdrawals : public OverflowOracle {
 protected:
  Withdrawals() : OverflowOracle({"train.lr_client=1", "model.init_scale=0.0005"}) {}

  void begin_life(bool from_its_folder) {
    if (from_its_folder) {
      auto& folder = stage_.folder(kVictim);
      folder.checkpoint = stage_.client(kVictim).save();
      folder.plans.clear();
      stage_.start_client(kVictim);
    }
    puppets_.cut_connections();
    puppets_.say_to_all(puppets_.welcome());
    puppets_.settle();
  }
  // One more gradient, for the victim alone, which believes that it was away.
  void push(std::size_t sample, float strength, bool share) {
    Step step = puppets_.step();
    step.share.assign(step.share.size(), share);
    std::vector<float> values(samples() * a().width, 0.0f);
    values[sample * a().width] = strength;
    const auto round = puppets_.model(kVictim).step();
    step.gradient = std::make_shared<const Gradient>(
        std::make_shared<const Plan>(puppets_.plan(round, epoch_, rows_)), std::move(values));
    puppets_.say(kVictim, step);
    puppets_.settle();
  }
  // How many gradients along the row it takes; none: the client is not there any more.
  std::optional<int> gradients_until_it_withdraws(std::size_t sample) {
    const auto refused = puppets_.refusals().size();
    for (int t = 1; t <= kMost; ++t) {
      const StepNumber before = puppets_.model(kVictim).step();
      push(sample, kStrength, /*share=*/true);
      if (puppets_.refusals().size() > refused) return t;
      if (puppets_.model(kVictim).step() == before) return std::nullopt;
    }
    return std::nullopt;
  }
  double length(std::size_t sample) {
    const auto x = reals(kVictim, samples_of(a(), data::Part::kTrain, rows_)[sample]);
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
  }

  static constexpr int kVictim = 2, kMost = 20000;
  static constexpr float kStrength = 1.0f;
};

TEST_F(Withdrawals, TellAServerOneLengthAtTheMostAndNotOnePerRestart) {
  constexpr std::size_t kRows = 6;
  std::vector<std::optional<int>> told(kRows);
  begin_life(/*from_its_folder=*/false);
  for (std::size_t row = 0; row < kRows; ++row) {
    told[row] = gradients_until_it_withdraws(row);
    // A client that has broken off keeps that in its folder, and does not start again.
    if (!told[row] || stage_.client(kVictim).broken_off()) break;
    begin_life(/*from_its_folder=*/true);
    for (int t = 0; t < *told[row]; ++t) push(row, -kStrength, /*share=*/false);
  }
  ASSERT_TRUE(told[0]);
  std::size_t read = 0;  // lengths, in terms of the first one, within 5 %
  for (std::size_t row = 1; row < kRows; ++row) {
    if (!told[row]) continue;
    const double guess = length(0) * *told[0] / *told[row];
    std::printf("row %zu: length %.3f, told %.3f after %d gradients\n", row, length(row), guess,
                *told[row]);
    read += std::abs(guess - length(row)) < 0.05 * length(row) ? 1 : 0;
  }
  std::printf("lengths of a single client's rows read: %zu of %zu\n", read, kRows - 1);
  EXPECT_EQ(read, 0u);
}

}  // namespace
}  // namespace fedvs
