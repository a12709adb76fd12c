// A server that makes clients believe they were away, then sends all of them the same gradient, of
// a plan that names the victim only: the victim alone learns, and the difference of two opened sums
// is its Gram matrix times a gradient that the server chose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "fedvs/protocol/segments.h"
#include "tests/adversary/puppets.h"

namespace fedvs {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace protocol;  // NOLINT: a test's

constexpr int kVictim = 3;
constexpr double kRate = 2;
constexpr float kSignal = 0.5f;  // in one entry of a row of the gradient

Plan naming_only_the_victim(Plan plan) {
  for (std::size_t n = 0; n < plan.versions.size(); ++n) {
    if (n != kVictim) plan.versions[n].reset();
  }
  return plan;
}
Plan naming_all(Plan plan) { return plan; }

class CatchingUp : public ::testing::Test {
 protected:
  // Given nine clients in three groups, in training with an honest server.
  CatchingUp()
      : stage_({"train.epochs=9", "train.client_optimizer=sgd", "train.lr_client=2",
                "protocol.warmup_rounds=2"}),
        puppets_(stage_),
        rows_(a().batch_rows()) {
    stage_.sign_nothing();  // the attacker has the key: what else keeps it from it?
    stage_.start();
    stage_.run([this] { return stage_.server().rounds() >= 8; });
    std::iota(rows_.begin(), rows_.end(), 0u);
    epoch_ = stage_.recorder.rounds.back().plan->epoch;
  }
  const Agreement& a() const { return stage_.agreement(); }
  std::size_t samples() const { return rows_.size() * static_cast<std::size_t>(a().shape.blocks); }

  // Entry c of the row of sample c, for all c < h: h columns of the Gram matrix at once.
  std::shared_ptr<const Gradient> probe(const Plan& plan) const {
    std::vector<float> values(samples() * a().width, 0.0f);
    for (std::size_t c = 0; c < a().width; ++c) values[c * a().width + c] = kSignal;
    return std::make_shared<const Gradient>(std::make_shared<const Plan>(plan), std::move(values));
  }

  std::function<void()> regather = [this] {
    puppets_.say_to_all(Regather{});
    puppets_.settle();
  };
  std::function<void()> cut_connections = [this] { puppets_.cut_connections(); };

  using Sums = std::optional<std::vector<std::int64_t>>;
  Sums open_with(Step step, Plan plan) {
    step.plan = std::make_shared<const Plan>(std::move(plan));
    puppets_.say_to_all(step);
    puppets_.settle();
    return puppets_.open(*step.plan);
  }

  // Opens some rows, makes everybody start over, sends the probe as the gradient of a plan that
  // they missed, and opens the rows once more. Returns how many entries of the victim's Gram matrix
  // the difference is.
  int attack(const std::function<void()>& start_over, Plan (*missed)(Plan)) {
    start_over();
    if (!puppets_.all_said_hello()) return 0;
    puppets_.say_to_all(puppets_.welcome());
    puppets_.settle();
    const std::uint64_t round = puppets_.round();
    const Sums before = open_with(puppets_.step(), puppets_.plan(round, epoch_ + 1, rows_));
    start_over();
    puppets_.say_to_all(puppets_.welcome());
    puppets_.settle();
    Step learn = puppets_.step();
    learn.gradient = probe(missed(puppets_.plan(round, epoch_ + 1, rows_)));
    const Sums after = open_with(learn, puppets_.plan(round + 1, epoch_ + 2, rows_));
    return before && after ? entries_read(*before, *after) : 0;
  }

  // Of the victim's Gram matrix, within 5 % of its largest entry.
  int entries_read(const std::vector<std::int64_t>& before,
                   const std::vector<std::int64_t>& after) {
    const auto gram = victims_gram();
    const double largest = *std::ranges::max_element(gram);
    const double scale = std::ldexp(1.0, -a().scales.l_x - a().scales.l_w) / (kRate * kSignal);
    int read = 0;
    for (std::size_t i = 0; i < gram.size(); ++i) {
      const double told = -scale * static_cast<double>(after[i] - before[i]);
      if (std::abs(told - gram[i]) < 0.05 * largest) ++read;
    }
    return read;
  }
  std::vector<double> victims_gram() {
    const auto& rows = puppets_.model(kVictim).rows(data::Part::kTrain);
    std::vector<std::int32_t> x(rows.rows() * rows.cols());
    rows.integers(0, rows.rows(), x);
    const auto sample = samples_of(a(), data::Part::kTrain, rows_);
    std::vector<double> gram;
    for (std::size_t i = 0; i < samples(); ++i) {
      for (std::size_t c = 0; c < a().width; ++c) {
        double product = 0;
        for (std::size_t p = 0; p < rows.cols(); ++p) {
          product +=
              static_cast<double>(x[sample[i] * rows.cols() + p]) * x[sample[c] * rows.cols() + p];
        }
        gram.push_back(std::ldexp(product, -2 * a().scales.l_x));
      }
    }
    return gram;
  }

  // Sums of the models as they are, without any client to refuse.
  std::vector<std::int64_t> plain_sums(StepNumber step) {
    std::vector<std::int64_t> sums(samples() * a().width, 0);
    const auto sample = samples_of(a(), data::Part::kTrain, rows_);
    for (int n = 0; n < a().shape.parties; ++n) {
      const auto& rows = puppets_.model(n).rows(data::Part::kTrain);
      std::vector<std::int32_t> x(rows.rows() * rows.cols());
      rows.integers(0, rows.rows(), x);
      const auto& w = puppets_.model(n).rounded().at(step);
      for (std::size_t i = 0; i < samples(); ++i) {
        for (std::size_t c = 0; c < a().width; ++c) {
          for (std::size_t p = 0; p < rows.cols(); ++p) {
            sums[i * a().width + c] +=
                std::int64_t{x[sample[i] * rows.cols() + p]} * w[c * rows.cols() + p];
          }
        }
      }
    }
    return sums;
  }

  testing::Stage stage_;
  testing::Puppets puppets_;
  std::vector<std::size_t> rows_;
  int epoch_ = 0;
};

TEST_F(CatchingUp, AServerThatAsksEverybodyToStartOverDuringTrainingIsNotHeard) {
  const int read = attack(regather, naming_only_the_victim);
  EXPECT_EQ(read, 0);
  RecordProperty("gram_entries_read", read);
  std::printf("Gram entries read after Regather: %d of %zu\n", read, samples() * a().width);
  EXPECT_FALSE(puppets_.all_said_hello());
}

TEST_F(CatchingUp, AGradientForTheVictimAloneIsRefusedByAllWhoComeBack) {
  const int read = attack(cut_connections, naming_only_the_victim);
  EXPECT_EQ(read, 0);
  std::printf("Gram entries read after lost connections: %d of %zu\n", read, samples() * a().width);
  EXPECT_THAT(puppets_.refusals(), SizeIs(static_cast<std::size_t>(a().shape.parties)));
  EXPECT_THAT(puppets_.refusals(), Each(HasSubstr("is left out of the sum")));
}

TEST_F(CatchingUp, AGradientThatAllLearnFromIsTakenAndTellsNoSingleClient) {
  const int read = attack(cut_connections, naming_all);
  EXPECT_THAT(puppets_.refusals(), IsEmpty());
  EXPECT_EQ(puppets_.model(kVictim).step(), puppets_.round() + 1);
  EXPECT_LT(read, static_cast<int>(samples() * a().width) / 4);  // chance: small entries
}

// The attack, where nobody checks the gradient's plan.
TEST_F(CatchingUp, WithoutTheCheckTheVictimsGramMatrixIsRead) {
  sim::SeededSecrets secrets(5);
  const StepNumber step = puppets_.model(0).step();
  Plan plan{.round = step, .revision = 1000, .rows = rows_, .versions = {}};
  plan.versions.assign(static_cast<std::size_t>(a().shape.parties), Version{step, {}});
  const auto gradient = probe(naming_only_the_victim(plan));
  std::vector<std::int64_t> sums[2];
  for (int after = 0; after < 2; ++after) {
    for (int n = 0; n < a().shape.parties; ++n) {
      auto& model = puppets_.model(n);
      if (after == 1) model.accept(*gradient, 1);
      if (after == 1) model.learn(*gradient, 1);
      model.round(model.step(), secrets).value();
    }
    sums[after] = plain_sums(puppets_.model(0).step());
  }
  const int read = entries_read(sums[0], sums[1]);
  std::printf("Gram entries read without the check: %d of %zu\n", read, samples() * a().width);
  EXPECT_EQ(read, static_cast<int>(samples() * a().width));
}

}  // namespace
}  // namespace fedvs
