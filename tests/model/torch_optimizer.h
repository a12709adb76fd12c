// libtorch's optimiser for our settings: the oracle for our own.
#pragma once
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <memory>
#include <vector>

#include "fedvs/model/optimizer.h"

namespace fedvs::model {

class TorchOptimizer {
 public:
  TorchOptimizer(const OptimizerSettings& settings, std::vector<at::Tensor> parameters)
      : parameters_(std::move(parameters)) {
    if (settings.kind == "adam") {
      optimizer_ = std::make_unique<torch::optim::AdamW>(
          parameters_,
          torch::optim::AdamWOptions(settings.rate).weight_decay(settings.weight_decay));
    } else {
      const double momentum = settings.kind == "momentum" ? settings.momentum : 0;
      optimizer_ = std::make_unique<torch::optim::SGD>(
          parameters_, torch::optim::SGDOptions(settings.rate).momentum(momentum));
      keep_ = 1 - settings.rate * settings.weight_decay;  // its SGD has no decoupled decay
    }
  }
  void step() {
    for (at::Tensor& parameter : parameters_) parameter.data().mul_(keep_);
    optimizer_->step();
  }

 private:
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  double keep_ = 1;
};

}  // namespace fedvs::model
