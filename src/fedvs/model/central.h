// The server's central model, behind our own types: libtorch appears only in central_*.cc.
// Always one torch thread, so results do not depend on the number of threads.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/job/job.h"

namespace fedvs::model {

class CentralModel {
 public:
  virtual ~CentralModel() = default;

  struct Learned {
    double loss;                  // mean over the batch, before the update
    std::vector<float> gradient;  // of the loss, by the average embedding: rows x width
  };
  // One step on embeddings (rows x width, row-major) with labels (rows). rows >= 1.
  virtual Learned learn(std::span<const float> embeddings, std::span<const int> labels) = 0;
  // Class probabilities, rows x classes (binary models too), in evaluation mode.
  virtual std::vector<float> predict(std::span<const float> embeddings) = 0;
  virtual void scale_rate(double factor) = 0;
  virtual double forward_macs_per_row() const = 0;  // for the virtual clock
  // Parameters, buffers and optimiser, as bytes (Python's torch can read the module part).
  virtual std::string save() const = 0;
  virtual Status load(const std::string& bytes) = 0;  // kCorrupt
};

// job.model.central, .hidden, .width, .torchscript and job.train's optimiser; `seed` draws the
// initial weights. kBadJob for an unknown kind, an unreadable module or a wrong output width.
Result<std::unique_ptr<CentralModel>> make_central(const Job& job, int classes, std::uint64_t seed);

}  // namespace fedvs::model
