// The server's half of learning: labels, the central model, and predictions gathered over the
// chunks of an evaluation.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fedvs/model/central.h"
#include "fedvs/model/metrics.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::protocol {

class Learner {
 public:
  Learner(const Agreement& agreement, std::unique_ptr<model::CentralModel> central,
          std::vector<int> labels_train, std::vector<int> labels_validation,
          std::vector<int> labels_test);

  struct Learned {
    double loss;
    std::vector<float> gradient;  // K b x h, zero rows for padding
  };
  // Step 4 of 5, Eq. (7), and step 5: sums of the embeddings (K b x h, stacked) to a gradient.
  Learned learn(const Plan& plan, const std::vector<std::int64_t>& sums);
  // Keeps the predictions of a chunk; metrics() are over the samples predicted since start().
  void start(data::Part part);
  void predict(const Plan& plan, const std::vector<std::int64_t>& sums);
  model::Metrics metrics(data::Part part);
  // Class probabilities of the part's samples, rows x classes, of the evaluation just made.
  const std::vector<float>& probabilities() const { return probabilities_; }
  // An evaluation half done, for a checkpoint.
  std::string save_predictions() const;
  Status restore_predictions(const std::string& bytes);  // kCorrupt
  model::CentralModel& central() { return *central_; }
  const model::CentralModel& central() const { return *central_; }

 private:
  struct Batch {
    std::vector<float> embeddings;     // of the real samples
    std::vector<std::size_t> at;       // their places in the stacked order
    std::vector<std::size_t> samples;  // and their sample numbers
  };
  Batch dequantised(const Plan& plan, const std::vector<std::int64_t>& sums) const;
  const Agreement& agreement_;
  std::unique_ptr<model::CentralModel> central_;
  std::vector<int> labels_[data::kParts];
  std::vector<float> probabilities_;
  std::vector<std::uint8_t> predicted_;  // per sample: 1 if it was
};

}  // namespace fedvs::protocol
