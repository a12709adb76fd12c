// A small problem that central models learn, and jobs that ask for them.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fedvs/base/public_random.h"
#include "fedvs/model/central.h"

namespace fedvs::model {

inline constexpr int kWidth = 6;

// Normal embeddings; the label is the largest of the first `classes` coordinates.
struct Toy {
  std::vector<float> embeddings;
  std::vector<int> labels;
};

inline Toy make_toy(std::size_t rows, int classes, std::uint64_t key) {
  PublicRandom random(key);
  Toy toy;
  for (std::size_t i = 0; i < rows; ++i) {
    for (int c = 0; c < kWidth; ++c) {
      toy.embeddings.push_back(static_cast<float>(random.next_normal()));
    }
    const auto row = toy.embeddings.end() - kWidth;
    toy.labels.push_back(static_cast<int>(std::max_element(row, row + classes) - row));
  }
  return toy;
}

inline Job job_for(const std::string& central, const std::string& optimizer = "adam") {
  Job job;
  job.model.central = central;
  job.model.width = kWidth;
  job.model.hidden = {16, 8};
  job.train.optimizer = optimizer;
  job.train.lr = optimizer == "sgd" ? 0.3 : optimizer == "momentum" ? 0.03 : 0.01;
  return job;
}

inline std::unique_ptr<CentralModel> central_for(const Job& job, int classes,
                                                 std::uint64_t seed = 1) {
  return std::move(make_central(job, classes, seed)).value();
}

inline double accuracy(CentralModel& model, const Toy& toy, int classes) {
  const std::vector<float> p = model.predict(toy.embeddings);
  EXPECT_EQ(p.size(), toy.labels.size() * static_cast<std::size_t>(classes));
  double hits = 0;
  for (std::size_t i = 0; i < toy.labels.size(); ++i) {
    const auto row = p.begin() + static_cast<std::ptrdiff_t>(i) * classes;
    hits += std::max_element(row, row + classes) - row == toy.labels[i];
  }
  return hits / static_cast<double>(toy.labels.size());
}

// Loss and gradient of every step, one after the other: equal only if training was.
inline std::vector<double> train(CentralModel& model, int classes, std::uint64_t from,
                                 std::uint64_t to) {
  std::vector<double> trace;
  for (std::uint64_t step = from; step < to; ++step) {
    const Toy batch = make_toy(32, classes, 1000 + step);
    const auto learned = model.learn(batch.embeddings, batch.labels);
    trace.push_back(learned.loss);
    trace.insert(trace.end(), learned.gradient.begin(), learned.gradient.end());
  }
  return trace;
}

inline Error error_of(const Job& job, int classes) {
  const auto result = make_central(job, classes, 1);
  return result ? Error{ErrorCode::kStopped, "accepted"} : result.error();
}

}  // namespace fedvs::model
