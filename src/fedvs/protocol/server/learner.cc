#include "fedvs/protocol/server/learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

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

std::vector<int> Learner::labels_of(const Batch& batch) const {
  std::vector<int> labels;
  labels.reserve(batch.samples.size());
  for (std::size_t sample : batch.samples) {
    labels.push_back(labels_[static_cast<int>(data::Part::kTrain)][sample]);
  }
  return labels;
}

Learner::Learned Learner::learn(const std::shared_ptr<const Plan>& plan,
                                const std::vector<std::int64_t>& sums) {
  const Batch batch = dequantised(*plan, sums);
  if (keeps_news_) news_.push_back(note_learned(*plan, batch));
  auto learned = central_->learn(batch.embeddings, labels_of(batch));
  rounds_ = plan->round + 1;
  const std::size_t clipped = clip(learned);
  auto rows = padded(std::move(learned.gradient), batch, sums.size());
  return {.loss = learned.loss,
          .gradient = std::make_shared<const Gradient>(plan, std::move(rows)),
          .clipped = clipped};
}

// With zeros where the batch has no sample.
std::vector<float> Learner::padded(std::vector<float> gradient, const Batch& batch,
                                   std::size_t values) const {
  if (gradient.size() == values) return gradient;
  std::vector<float> padded(values, 0.0f);
  for (std::size_t i = 0; i < batch.at.size(); ++i) {
    std::copy_n(gradient.data() + i * agreement_.width, agreement_.width,
                padded.data() + batch.at[i] * agreement_.width);
  }
  return padded;
}

void Learner::scale_rate(double factor) {
  central_->scale_rate(factor);
  ++rate_changes_;
}

std::size_t Learner::clip(model::CentralModel::Learned& learned) const {
  std::size_t clipped = 0;
  const std::size_t width = agreement_.width;
  for (std::size_t at = 0; at + width <= learned.gradient.size(); at += width) {
    const auto row = std::span(learned.gradient).subspan(at, width);
    const double norm = row_norm(row);
    if (norm <= agreement_.gradient_clip) continue;
    ++clipped;
    if (!std::isfinite(norm)) learned.loss = std::numeric_limits<double>::quiet_NaN();
    const double factor = agreement_.gradient_clip / norm;
    for (float& value : row) value = static_cast<float>(factor * static_cast<double>(value));
  }
  return clipped;
}

void Learner::start(data::Part part) {
  part_ = part;
  const std::size_t rows = agreement_.rows[static_cast<int>(part)];
  probabilities_.assign(rows * static_cast<std::size_t>(agreement_.classes), 0.0f);
  predicted_.assign(rows, 0);
}

void Learner::predict(const Plan& plan, const std::vector<std::int64_t>& sums) {
  const Batch batch = dequantised(plan, sums);
  if (batch.samples.empty()) return;
  const auto predicted = central_->predict(batch.embeddings);
  keep_predictions(batch.samples, predicted);
  if (keeps_news_) news_.push_back(note_predicted(plan, batch, predicted));
}

void Learner::keep_predictions(const std::vector<std::size_t>& samples,
                               const std::vector<float>& predicted) {
  const auto classes = static_cast<std::size_t>(agreement_.classes);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::copy_n(predicted.data() + i * classes, classes,
                probabilities_.data() + samples[i] * classes);
    predicted_[samples[i]] = 1;
  }
}

std::optional<model::Metrics> Learner::metrics(data::Part part) {
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
