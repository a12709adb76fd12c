#include "fedvs/model/central.h"

#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "fedvs/base/thread_pool.h"
#include "fedvs/field/kernel.h"
#include "tests/model/central_fixture.h"

namespace fedvs::model {
namespace {

using testing::HasSubstr;

struct Kind {
  const char* central;
  const char* optimizer;
  int classes;
};

struct CentralModelOfKind : testing::TestWithParam<Kind> {
  Job job = job_for(GetParam().central, GetParam().optimizer);
  int classes = GetParam().classes;
};

TEST_P(CentralModelOfKind, LearnsASeparableProblem) {
  auto model = central_for(job, classes);
  const Toy test = make_toy(500, classes, 7);
  EXPECT_LT(accuracy(*model, test, classes), 0.8);
  train(*model, classes, 0, 600);
  EXPECT_GT(accuracy(*model, test, classes), 0.93);
}

TEST_P(CentralModelOfKind, PredictsProbabilitiesThatAddUpToOne) {
  auto model = central_for(job, classes);
  train(*model, classes, 0, 5);
  const std::vector<float> p = model->predict(make_toy(9, classes, 3).embeddings);
  ASSERT_EQ(p.size(), 9u * static_cast<std::size_t>(classes));
  for (auto row = p.begin(); row != p.end(); row += classes) {
    EXPECT_NEAR(std::accumulate(row, row + classes, 0.0), 1, 1e-6);
    EXPECT_GT(*std::min_element(row, row + classes), 0);
  }
}

TEST_P(CentralModelOfKind, GivesTheGradientThatFiniteDifferencesFind) {
  // Given a trained model that from now on learns at rate 0
  auto model = central_for(job, classes);
  train(*model, classes, 0, 30);
  model->scale_rate(0);
  Toy batch = make_toy(4, classes, 5);
  const auto learned = model->learn(batch.embeddings, batch.labels);
  ASSERT_EQ(learned.gradient.size(), batch.embeddings.size());
  // When each coordinate is moved a little, then the loss moves as the gradient says.
  constexpr float kStep = 2e-3f;
  for (std::size_t i = 0; i < batch.embeddings.size(); ++i) {
    const float at = batch.embeddings[i];
    batch.embeddings[i] = at + kStep;
    const double above = model->learn(batch.embeddings, batch.labels).loss;
    batch.embeddings[i] = at - kStep;
    const double below = model->learn(batch.embeddings, batch.labels).loss;
    batch.embeddings[i] = at;
    EXPECT_NEAR((above - below) / (2 * kStep), learned.gradient[i],
                1e-3 + 0.05 * std::abs(learned.gradient[i]));
  }
}

TEST_P(CentralModelOfKind, TrainsBitForBitAlikeWhateverElseGoesOn) {
  auto first = central_for(job, classes, 3);
  const auto expected = train(*first, classes, 0, 10);
  // When torch's own generator moved on, our pool has other threads, and another thread trains
  at::rand({100});
  ThreadPool::set_default_threads(5);
  auto second = central_for(job, classes, 3);
  std::vector<double> trace;
  std::thread([&] { trace = train(*second, classes, 0, 10); }).join();
  EXPECT_EQ(trace, expected);
  EXPECT_EQ(second->save(), first->save());
  // But another seed is another model.
  auto third = central_for(job, classes, 4);
  EXPECT_NE(train(*third, classes, 0, 10), expected);
}

TEST_P(CentralModelOfKind, TrainsBitForBitAlikeWithEveryKernel) {
  const auto trained_with = [&](field::Kernel kernel) {
    const field::KernelForTests forced(kernel);
    auto model = central_for(job, classes, 3);
    return std::pair(train(*model, classes, 0, 10), model->save());
  };
  const auto expected = trained_with(field::Kernel::kPortable);
  for (const field::Kernel kernel : field::available_kernels()) {
    EXPECT_EQ(trained_with(kernel), expected) << field::name(kernel);
  }
}

TEST_P(CentralModelOfKind, ContinuesBitForBitAfterSaveAndLoad) {
  // Given a model in the middle of its training, its rate lowered
  auto first = central_for(job, classes, 1);
  train(*first, classes, 0, 10);
  first->scale_rate(0.7);
  // When a model with other weights loads it
  auto second = central_for(job, classes, 2);
  train(*second, classes, 50, 53);
  ASSERT_TRUE(second->load(first->save()));
  EXPECT_EQ(second->save(), first->save());
  // Then both train on alike.
  EXPECT_EQ(train(*second, classes, 10, 20), train(*first, classes, 10, 20));
  EXPECT_EQ(second->save(), first->save());
}

INSTANTIATE_TEST_SUITE_P(Kinds, CentralModelOfKind,
                         testing::Values(Kind{"mlp", "adam", 4}, Kind{"mlp", "sgd", 3},
                                         Kind{"mlp", "momentum", 2}, Kind{"mlp-binary", "adam", 2},
                                         Kind{"credit", "adam", 2}, Kind{"credit", "momentum", 2}),
                         [](const auto& tested) {
                           std::string name = tested.param.central;
                           std::erase(name, '-');
                           return name + "_" + tested.param.optimizer;
                         });

TEST(CentralModel, CountsTheMultiplyAddsOfItsLinearLayers) {
  EXPECT_EQ(central_for(job_for("mlp"), 4)->forward_macs_per_row(), 6 * 16 + 16 * 8 + 8 * 4);
  EXPECT_EQ(central_for(job_for("credit"), 2)->forward_macs_per_row(), 6 * 16 + 16 * 8 + 8);
}

TEST(CentralModel, ShrinksUnusedWeightsByDecoupledDecay) {
  // Given a batch of zeros: the first layer's weights get no gradient, only decay
  Job job = job_for("mlp", "sgd");
  job.train.weight_decay = 0.5;
  auto decayed = central_for(job, 2);
  job.train.weight_decay = 0;
  auto kept = central_for(job, 2);
  const std::vector<float> zeros(8 * kWidth);
  const std::vector<int> labels = {0, 1, 0, 1, 0, 1, 0, 1};
  for (int i = 0; i < 50; ++i) {
    decayed->learn(zeros, labels);
    kept->learn(zeros, labels);
  }
  // Then answers of the decayed model hardly depend on the embedding any more.
  const auto spread = [](CentralModel& model) {
    std::vector<float> rows(2 * kWidth, 3.0f);
    std::fill_n(rows.begin(), kWidth, -3.0f);
    const auto p = model.predict(rows);
    return std::abs(p[0] - p[2]);
  };
  EXPECT_LT(spread(*decayed), 0.1f * spread(*kept));
}

TEST(CentralModel, LearnsFromASingleRowExceptWhereTheBatchIsNormalised) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // torch has started threads
  const Toy one = make_toy(1, 2, 1);
  EXPECT_GT(central_for(job_for("mlp"), 2)->learn(one.embeddings, one.labels).loss, 0);
  auto credit = central_for(job_for("credit"), 2);
  EXPECT_DEATH(credit->learn(one.embeddings, one.labels), "too few rows");
  EXPECT_EQ(credit->predict(one.embeddings).size(), 2u);
}

TEST(CentralModel, RefusesJobsThatCannotWorkAndSaysWhy) {
  const auto expect = [](Job job, int classes, const char* what) {
    const Error error = error_of(job, classes);
    EXPECT_EQ(error.code, ErrorCode::kBadJob) << error.message;
    EXPECT_THAT(error.message, HasSubstr(what));
  };
  expect(job_for("forest"), 2, "model.central = 'forest' is unknown");
  expect(job_for("mlp-binary"), 3, "the data has 3; use 'mlp'");
  expect(job_for("credit"), 10, "the data has 10; use 'mlp'");
  expect(job_for("mlp"), 1, "1 class(es)");
  expect(job_for("mlp", "lbfgs"), 2, "'lbfgs' is unknown");
  Job job = job_for("mlp");
  job.model.hidden = {16};
  expect(job, 2, "model.hidden = [16]");
  job.model.hidden = {16, 0};
  expect(job, 2, "model.hidden = [16, 0]");
  job.model.hidden = {16, 1 << 20};
  expect(job, 2, "1 to 65536 units");
  job = job_for("mlp");
  job.model.width = 0;
  expect(job, 2, "model.width = 0");
  job = job_for("mlp");
  job.train.lr = -1;
  expect(job, 2, "rate of -1");
}

}  // namespace
}  // namespace fedvs::model
