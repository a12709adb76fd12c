#include "fedvs/model/optimizer.h"

#include <fmt/format.h>

#include <cmath>

#include "fedvs/base/check.h"
#include "fedvs/model/float_kernels.h"

namespace fedvs::model {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999;  // PyTorch's defaults
constexpr float kEpsilon = 1e-8f;

// By squaring, in multiplications alone: std::pow may differ in its last bit between machines.
double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1) result *= base;
  }
  return result;
}

void decay(std::span<float> weights, double rate, double weight_decay) {
  if (weight_decay == 0) return;
  const float keep = static_cast<float>(1 - rate * weight_decay);
  for (float& w : weights) w *= keep;
}

void sgd(std::span<float> weights, std::span<const float> gradient, double rate) {
  const float r = static_cast<float>(rate);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= r * gradient[i];
}

// PyTorch's convention: v = m v + g, w -= rate v.
void accumulate(std::span<float> velocity, std::span<const float> gradient, double momentum) {
  const float m = static_cast<float>(momentum);
  for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] = m * velocity[i] + gradient[i];
}

void adam(std::span<float> weights, std::span<const float> gradient, std::span<float> first,
          std::span<float> second, double rate, std::int64_t steps) {
  const AdamStep step{
      .b1 = static_cast<float>(kBeta1),
      .a1 = static_cast<float>(1 - kBeta1),
      .b2 = static_cast<float>(kBeta2),
      .a2 = static_cast<float>(1 - kBeta2),
      .step = static_cast<float>(rate / (1 - power(kBeta1, steps))),
      .root_bias = static_cast<float>(std::sqrt(1 - power(kBeta2, steps))),
      .epsilon = kEpsilon,
  };
  float_kernels(field::active_kernel())
      .adam(step, gradient.data(), weights.data(), first.data(), second.data(), weights.size());
}

Error bad(std::string message) { return {ErrorCode::kBadJob, std::move(message)}; }

}  // namespace

Optimizer::Optimizer(OptimizerSettings settings, std::size_t parameters)
    : settings_(std::move(settings)),
      first_(settings_.kind == "sgd" ? 0 : parameters),
      second_(settings_.kind == "adam" ? parameters : 0) {}

Result<Optimizer> Optimizer::create(OptimizerSettings settings, std::size_t parameters) {
  const auto& [kind, rate, momentum, weight_decay] = settings;
  if (kind != "sgd" && kind != "momentum" && kind != "adam") {
    return bad(fmt::format("optimizer '{}' is unknown; use sgd, momentum or adam", kind));
  }
  if (!(rate >= 0) || std::isinf(rate)) {
    return bad(fmt::format("a learning rate of {} cannot be used; it must be 0 or more", rate));
  }
  if (!(momentum >= 0 && momentum < 1)) {
    return bad(fmt::format("a momentum of {} cannot be used; it must be in [0, 1)", momentum));
  }
  if (!(weight_decay >= 0 && rate * weight_decay < 1)) {
    return bad(
        fmt::format("a weight decay of {} cannot be used with a learning rate of {}; it "
                    "must be 0 or more and their product below 1",
                    weight_decay, rate));
  }
  return Optimizer(std::move(settings), parameters);
}

void Optimizer::step(std::span<float> weights, std::span<const float> gradient) {
  FEDVS_CHECK(weights.size() == gradient.size(), "weights and gradient differ in size");
  FEDVS_CHECK(settings_.kind == "sgd" || weights.size() == first_.size(),
              "the optimizer was made for another number of weights");
  ++steps_;
  decay(weights, settings_.rate, settings_.weight_decay);
  if (settings_.kind == "adam") {
    adam(weights, gradient, first_, second_, settings_.rate, steps_);
  } else if (settings_.kind == "momentum") {
    accumulate(first_, gradient, settings_.momentum);
    sgd(weights, first_, settings_.rate);
  } else {
    sgd(weights, gradient, settings_.rate);
  }
}

Optimizer::State Optimizer::state() const { return {settings_.rate, steps_, first_, second_}; }

Status Optimizer::restore(const State& state) {
  if (state.first.size() != first_.size() || state.second.size() != second_.size()) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("the saved optimizer has {} and {} moments, this {} one needs {} and "
                             "{}; resume with the job that the run was started with",
                             state.first.size(), state.second.size(), settings_.kind, first_.size(),
                             second_.size())};
  }
  if (state.steps < 0 || !(state.rate >= 0) || std::isinf(state.rate)) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("the saved optimizer claims {} steps at a rate of {}", state.steps,
                             state.rate)};
  }
  settings_.rate = state.rate;
  steps_ = state.steps;
  first_ = state.first;
  second_ = state.second;
  return {};
}

void Optimizer::State::write(ByteWriter& out) const {
  out.number(rate);
  out.number(steps);
  out.numbers(first);
  out.numbers(second);
}

Result<Optimizer::State> Optimizer::State::read(ByteReader& in) {
  State state;
  FEDVS_TRY(state.rate, in.number<double>());
  FEDVS_TRY(state.steps, in.number<std::int64_t>());
  FEDVS_TRY(state.first, in.numbers<float>());
  FEDVS_TRY(state.second, in.numbers<float>());
  return state;
}

}  // namespace fedvs::model
