#include "fedvs/protocol/learner.h"

#include <algorithm>

#include "fedvs/base/bytes.h"
#include "fedvs/protocol/segments.h"
#include "fedvs/quant/fixed_point.h"

namespace fedvs::protocol {

Learner::Learner(const Agreement& agreement, std::unique_ptr<model::CentralModel> central,
                 std::vector<int> labels_train, std::vector<int> labels_validation,
                 std::vector<int> labels_test)
    : agreement_(agreement),
      central_(std::move(central)),
      labels_{std::move(labels_train), std::move(labels_validation), std::move(labels_test)} {}

Learner::Batch Learner::dequantised(const Plan& plan, const std::vector<std::int64_t>& sums) const {
  const auto samples = samples_of(agreement_, plan.part, plan.rows);
  const std::size_t width = agreement_.width;
  Batch batch;
  batch.embeddings.resize(sums.size());
  quant::dequantise(sums, agreement_.scales.l_x + agreement_.scales.l_w, plan.summed_clients(),
                    batch.embeddings);
  batch.at.reserve(samples.size());
  batch.samples.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {  // rows of padding are closed up
    if (samples[i] == model::kPadding) continue;
    float* const rows = batch.embeddings.data();
    if (batch.at.size() != i) std::copy_n(rows + i * width, width, rows + batch.at.size() * width);
    batch.at.push_back(i);
    batch.samples.push_back(samples[i]);
  }
  batch.embeddings.resize(batch.at.size() * width);
  return batch;
}

Learner::Learned Learner::learn(const Plan& plan, const std::vector<std::int64_t>& sums) {
  const Batch batch = dequantised(plan, sums);
  std::vector<int> labels;
  labels.reserve(batch.samples.size());
  for (std::size_t sample : batch.samples) {
    labels.push_back(labels_[static_cast<int>(plan.part)][sample]);
  }
  auto learned = central_->learn(batch.embeddings, labels);
  if (learned.gradient.size() == sums.size()) return {learned.loss, std::move(learned.gradient)};
  Learned result{.loss = learned.loss, .gradient = std::vector<float>(sums.size(), 0.0f)};
  for (std::size_t i = 0; i < batch.at.size(); ++i) {
    std::copy_n(learned.gradient.data() + i * agreement_.width, agreement_.width,
                result.gradient.data() + batch.at[i] * agreement_.width);
  }
  return result;
}

void Learner::start(data::Part part) {
  const std::size_t rows = agreement_.rows[static_cast<int>(part)];
  probabilities_.assign(rows * static_cast<std::size_t>(agreement_.classes), 0.0f);
  predicted_.assign(rows, 0);
}

void Learner::predict(const Plan& plan, const std::vector<std::int64_t>& sums) {
  const auto classes = static_cast<std::size_t>(agreement_.classes);
  const Batch batch = dequantised(plan, sums);
  if (batch.samples.empty()) return;
  const auto predicted = central_->predict(batch.embeddings);
  for (std::size_t i = 0; i < batch.samples.size(); ++i) {
    std::copy_n(predicted.data() + i * classes, classes,
                probabilities_.data() + batch.samples[i] * classes);
    predicted_[batch.samples[i]] = 1;
  }
}

std::string Learner::save_predictions() const {
  ByteWriter out;
  out.numbers(predicted_);
  out.numbers(probabilities_);
  return out.take();
}

Status Learner::restore_predictions(const std::string& bytes) {
  ByteReader in(bytes);
  FEDVS_TRY(auto predicted, in.numbers<std::uint8_t>());
  FEDVS_TRY(auto probabilities, in.numbers<float>());
  if (predicted.size() != predicted_.size() || probabilities.size() != probabilities_.size()) {
    return Error{ErrorCode::kCorrupt, "the checkpoint's predictions are of other rows"};
  }
  predicted_ = std::move(predicted);
  probabilities_ = std::move(probabilities);
  return in.finish();
}

model::Metrics Learner::metrics(data::Part part) {
  const auto classes = static_cast<std::size_t>(agreement_.classes);
  std::vector<float> probabilities;
  std::vector<int> labels;
  for (std::size_t i = 0; i < predicted_.size(); ++i) {
    if (predicted_[i] == 0) continue;
    const auto first = probabilities_.begin() + static_cast<std::ptrdiff_t>(i * classes);
    probabilities.insert(probabilities.end(), first, first + static_cast<std::ptrdiff_t>(classes));
    labels.push_back(labels_[static_cast<int>(part)][i]);
  }
  return model::evaluate(probabilities, labels, agreement_.classes);
}

}  // namespace fedvs::protocol
