// SGD, momentum and Adam for the clients' weights. Plain loops in a fixed order: bit-exact
// anywhere.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/bytes.h"
#include "fedvs/base/result.h"

namespace fedvs::model {

struct OptimizerSettings {
  std::string kind = "adam";  // sgd | momentum | adam
  double rate = 0.01;
  double momentum = 0.9;
  double weight_decay = 0;  // decoupled: w -= rate * weight_decay * w
};

class Optimizer {
 public:
  static Result<Optimizer> create(OptimizerSettings settings, std::size_t parameters);
  void step(std::span<float> weights, std::span<const float> gradient);
  void scale_rate(double factor) { settings_.rate *= factor; }

  // All of the state, for checkpoints.
  struct State {
    double rate;
    std::int64_t steps;
    std::vector<float> first, second;
    void write(ByteWriter& out) const;
    static Result<State> read(ByteReader& in);
  };
  State state() const;
  Status restore(const State& state);  // kCorrupt when the sizes differ

 private:
  explicit Optimizer(OptimizerSettings settings, std::size_t parameters);
  OptimizerSettings settings_;
  std::int64_t steps_ = 0;
  std::vector<float> first_, second_;
};

}  // namespace fedvs::model
