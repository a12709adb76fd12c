#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/model/central_fixture.h"
#include "tests/model/python_fixture.h"

namespace fedvs::model {
namespace {

using testing::HasSubstr;

constexpr int kClasses = 3;

Job vgg_job(int width, const std::string& optimizer = "adam") {
  Job job = job_for("vgg13", optimizer);
  job.model.width = width;
  job.train.lr = 0.002;
  return job;
}

// Noise, brighter in the quarter of the image that the label names.
Toy make_images(std::size_t rows, int side, std::uint64_t key) {
  PublicRandom random(key);
  Toy toy;
  for (std::size_t i = 0; i < rows; ++i) {
    const int label = static_cast<int>(i) % kClasses;
    for (int p = 0; p < side * side; ++p) {
      const int quarter = p / side / ((side + 1) / 2) * 2 + p % side / ((side + 1) / 2);
      toy.embeddings.push_back(static_cast<float>(random.next_normal() + (quarter == label)));
    }
    toy.labels.push_back(label);
  }
  return toy;
}

std::vector<double> train_on_images(CentralModel& model, int side, std::uint64_t from,
                                    std::uint64_t to, std::size_t rows = 24) {
  std::vector<double> trace;
  for (std::uint64_t step = from; step < to; ++step) {
    const Toy batch = make_images(rows, side, 1000 + step);
    const auto learned = model.learn(batch.embeddings, batch.labels);
    trace.push_back(learned.loss);
    trace.insert(trace.end(), learned.gradient.begin(), learned.gradient.end());
  }
  return trace;
}

TEST(CentralVgg, LearnsWhichQuarterOfTheEmbeddingIsBrighter) {
  auto model = central_for(vgg_job(64), kClasses);
  const Toy test = make_images(300, 8, 7);
  EXPECT_LT(accuracy(*model, test, kClasses), 0.7);
  train_on_images(*model, 8, 0, 40, 30);
  EXPECT_GT(accuracy(*model, test, kClasses), 0.9);
}

TEST(CentralVgg, TrainsBitForBitAlikeOnAnyThread) {
  auto first = central_for(vgg_job(64), kClasses, 3),
       second = central_for(vgg_job(64), kClasses, 3);
  const auto expected = train_on_images(*first, 8, 0, 3);
  at::rand({100});  // torch's own generator moves on
  std::vector<double> trace;
  std::thread([&] { trace = train_on_images(*second, 8, 0, 3); }).join();
  EXPECT_EQ(trace, expected);
  EXPECT_EQ(second->save(), first->save());
}

TEST(CentralVgg, ContinuesBitForBitAfterSaveAndLoad) {
  auto first = central_for(vgg_job(16), kClasses, 1),
       second = central_for(vgg_job(16), kClasses, 2);
  train_on_images(*first, 4, 0, 3);
  first->scale_rate(0.7);
  ASSERT_TRUE(second->load(first->save()));
  EXPECT_EQ(train_on_images(*second, 4, 3, 6), train_on_images(*first, 4, 3, 6));
  EXPECT_EQ(second->save(), first->save());
}

TEST(CentralVgg, CountsTheMultiplyAddsThatMeetAPixel) {
  const double on_8x8 = 22 * 22 * (1 * 64 + 64 * 64), on_4x4 = 10 * 10 * (64 + 128) * 128;
  const double on_2x2 = 4 * 4 * (128 + 256) * 256, on_1x1 = (256 + 3 * 512) * 512;
  EXPECT_EQ(central_for(vgg_job(64), 10)->forward_macs_per_row(),
            on_8x8 + on_4x4 + on_2x2 + on_1x1 + 512 * 10);
}

TEST(CentralVgg, NeedsTwoRowsToLearnFromAndOneToPredict) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // torch has started threads
  const Toy one = make_images(1, 4, 1), two = make_images(2, 4, 1);
  auto model = central_for(vgg_job(16), kClasses);
  EXPECT_DEATH(model->learn(one.embeddings, one.labels), "too few rows");
  EXPECT_GT(model->learn(two.embeddings, two.labels).loss, 0);
  EXPECT_EQ(model->predict(one.embeddings).size(), 3u);
}

TEST(CentralVgg, TakesAnySquareOfFourOrMoreOnASide) {
  for (const int side : {4, 5, 7, 40}) {
    auto model = central_for(vgg_job(side * side), kClasses);
    EXPECT_EQ(train_on_images(*model, side, 0, 1, 2).size(), 1u + 2u * unsigned(side * side));
  }
  for (const int width : {1, 9, 60, 65, 128}) {
    const Error error = error_of(vgg_job(width), kClasses);
    EXPECT_EQ(error.code, ErrorCode::kBadJob);
    EXPECT_THAT(error.message, HasSubstr("square image of 4 x 4 pixels or more"));
    EXPECT_THAT(error.message, HasSubstr(" " + std::to_string(width) + " numbers"));
  }
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <class Numbers>
void write_numbers(const std::filesystem::path& path, const Numbers& numbers) {
  std::ofstream out(path);
  for (const auto value : numbers) out << std::hexfloat << double{value} << "\n";
}

TEST(CentralVgg, PredictsAndStepsAsPyTorchsLayersWithKernelsOfThreeByThreeDo) {
  FEDVS_NEEDS_PYTHON_TORCH();
  // Given a model before and after one step, and what it predicted and found
  auto model = central_for(vgg_job(64, "sgd"), kClasses);
  train_on_images(*model, 8, 0, 2);
  model->scale_rate(4 / 0.002);  // far above the rounding of weights near 1
  const Toy toy = make_images(24, 8, 9);
  const TemporaryFolder folder("vgg");
  const auto& path = folder.path();
  write_numbers(path / "embeddings.txt", toy.embeddings);
  std::ofstream labels(path / "labels.txt");
  for (const int label : toy.labels) labels << label << "\n";
  labels.close();
  write(path / "before.pt", model->save());
  write_numbers(path / "probabilities.txt", model->predict(toy.embeddings));
  const auto learned = model->learn(toy.embeddings, toy.labels);
  write_numbers(path / "gradient.txt", learned.gradient);
  write_numbers(path / "loss.txt", std::vector<double>{learned.loss});
  write(path / "after.pt", model->save());
  // When Python builds the network from torch.nn, then it predicts and steps the same.
  EXPECT_TRUE(run_python("check_vgg.py", path));
}

}  // namespace
}  // namespace fedvs::model
