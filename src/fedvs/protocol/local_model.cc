#include "fedvs/protocol/local_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fedvs/protocol/segments.h"
#include "fedvs/quant/fixed_point.h"

namespace fedvs::protocol {
namespace {

data::Table round_rows(data::Table powers, int l_x) {
  const double unit = std::ldexp(1.0, -l_x);
  for (float& value : powers.values) {
    value = static_cast<float>(quant::round_half_up(value, l_x) * unit);
  }
  return powers;
}

}  // namespace

std::vector<std::int32_t> quantised_rows(const data::Table& rounded_rows, int l_x) {
  const float scale = std::ldexp(1.0f, l_x);
  std::vector<std::int32_t> integers(rounded_rows.values.size());
  for (std::size_t i = 0; i < integers.size(); ++i) {
    integers[i] = static_cast<std::int32_t>(rounded_rows.values[i] * scale);  // exact: multiples
  }
  return integers;
}

LocalModel::LocalModel(const Agreement& agreement, int client,
                       const data::Table (&features)[data::kParts],
                       model::PolynomialNetwork network, model::Optimizer optimizer)
    : agreement_(agreement),
      client_(client),
      network_(std::move(network)),
      optimizer_(std::move(optimizer)),
      guard_(agreement.ring, agreement.shape.parties),
      chain_(1, Digest{}),
      gradient_(network_.weights.size()) {
  const int degree = agreement.clients[static_cast<std::size_t>(client)].degree;
  for (int part = 0; part < data::kParts; ++part) {
    rows_[part] = round_rows(model::raise_to_powers(features[part], degree), agreement.scales.l_x);
    guard_.add_rows(quantised_rows(rows_[part], agreement.scales.l_x), network_.inputs);
  }
}

void LocalModel::apply(const Gradient& gradient, double rate_factor, Arithmetic arithmetic) {
  const Plan& plan = gradient.plan();
  const bool learns = plan.versions[static_cast<std::size_t>(client_)].has_value();
  if (arithmetic == Arithmetic::kReal && learns) {
    const auto samples = samples_of(agreement_, plan.part, plan.rows);
    const float scale = 1.0f / static_cast<float>(plan.summed_clients());
    model::weight_gradient(rounded_rows(plan.part), samples, gradient.values(), network_.width,
                           scale, gradient_);
    optimizer_.step(network_.weights, gradient_);
  }
  optimizer_.scale_rate(rate_factor);
  chain_.push_back(next_link(chain_.back(), gradient, rate_factor));
}

const std::vector<std::int32_t>& LocalModel::round_current(SecretSource& secrets,
                                                           Arithmetic arithmetic) {
  auto [entry, is_new] = rounded_.try_emplace(step());
  if (!is_new || arithmetic == Arithmetic::kSkipped) return entry->second;
  entry->second.resize(network_.weights.size());
  const bool limited = limit_columns();
  Prng rounding = secrets.stream(Purpose::kRounding, client_, step());
  quant::round_stochastic(network_.weights, agreement_.scales.l_w, rounding, entry->second);
  project_columns(entry->second, limited);
  return entry->second;
}

// Before rounding: columns of weights that 32-bit integers cannot hold are scaled down, or zeroed
// where they are no numbers any more (a diverged run, which the server's loss shows).
bool LocalModel::limit_columns() {
  const float limit = std::ldexp(1.0f, 30 - agreement_.scales.l_w);
  bool limited = false;
  for (std::size_t j = 0; j < network_.width; ++j) {
    const auto column = std::span(network_.weights).subspan(j * network_.inputs, network_.inputs);
    float largest = 0;
    for (float w : column) largest = std::isfinite(w) ? std::max(largest, std::abs(w)) : INFINITY;
    if (largest < limit) continue;
    limited = true;
    const float factor = std::isfinite(largest) ? 0.5f * limit / largest : 0.0f;
    for (float& w : column) w = factor == 0.0f ? 0.0f : w * factor;
  }
  return limited;
}

void LocalModel::project_columns(std::vector<std::int32_t>& integers, bool limited) {
  bool projected = limited;
  for (std::size_t j = 0; j < network_.width; ++j) {
    const std::size_t first = j * network_.inputs;
    projected |= guard_.project(std::span(integers).subspan(first, network_.inputs),
                                std::span(network_.weights).subspan(first, network_.inputs)) != 1.0;
  }
  ++projections_.versions;
  if (projected) ++projections_.projected;
}

void LocalModel::forget_before(StepNumber step) {
  rounded_.erase(rounded_.begin(), rounded_.lower_bound(step));
}

std::string LocalModel::save() const {
  ByteWriter out;
  const auto optimizer = optimizer_.state();
  out.numbers(network_.weights);
  out.number(optimizer.rate);
  out.number(optimizer.steps);
  out.numbers(optimizer.first);
  out.numbers(optimizer.second);
  out.number<std::uint64_t>(chain_.size());
  for (const Digest& link : chain_) out.numbers(std::span<const std::uint8_t>(link));
  out.number<std::uint64_t>(rounded_.size());
  for (const auto& [step, integers] : rounded_) {
    out.number(step);
    out.numbers(integers);
  }
  out.number(projections_.versions);
  out.number(projections_.projected);
  return out.take();
}

Status LocalModel::restore(const std::string& bytes) {
  ByteReader in(bytes);
  FEDVS_TRY(auto weights, in.numbers<float>());
  if (weights.size() != network_.weights.size()) {
    return Error{
        ErrorCode::kCorrupt,
        fmt::format("the checkpoint has {} weights for client {}, this job {}; resume with "
                    "the run's own job",
                    weights.size(), client_ + 1, network_.weights.size())};
  }
  FEDVS_TRY_STATUS(restore_optimizer(in));
  FEDVS_TRY_STATUS(restore_versions(in));
  FEDVS_TRY(projections_.versions, in.number<std::uint64_t>());
  FEDVS_TRY(projections_.projected, in.number<std::uint64_t>());
  network_.weights = std::move(weights);
  return in.finish();
}

Status LocalModel::adopt(const std::string& saved) {
  FEDVS_TRY_STATUS(restore(saved));
  const auto newest = rounded_.find(step());
  if (newest == rounded_.end()) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("the checkpoint has no shared version of client {}'s step {}; finish "
                             "the run with --resume first",
                             client_ + 1, step())};
  }
  auto integers = std::move(newest->second);
  project_columns(integers, /*limited=*/false);
  rounded_.clear();
  rounded_.emplace(0, std::move(integers));
  chain_.assign(1, Digest{});
  return {};
}

Status LocalModel::restore_optimizer(ByteReader& in) {
  model::Optimizer::State state;
  FEDVS_TRY(state.rate, in.number<double>());
  FEDVS_TRY(state.steps, in.number<std::int64_t>());
  FEDVS_TRY(state.first, in.numbers<float>());
  FEDVS_TRY(state.second, in.numbers<float>());
  return optimizer_.restore(state);
}

Status LocalModel::restore_versions(ByteReader& in) {
  FEDVS_TRY(const auto links, in.number<std::uint64_t>());
  std::vector<Digest> chain;
  for (std::uint64_t i = 0; i < links; ++i) {
    FEDVS_TRY(const auto link, in.numbers<std::uint8_t>());
    if (link.size() != chain_[0].size()) return Error{ErrorCode::kCorrupt, "a torn gradient chain"};
    std::copy(link.begin(), link.end(), chain.emplace_back().begin());
  }
  FEDVS_TRY(const auto versions, in.number<std::uint64_t>());
  std::map<StepNumber, std::vector<std::int32_t>> rounded;
  for (std::uint64_t i = 0; i < versions; ++i) {
    FEDVS_TRY(const auto step, in.number<StepNumber>());
    FEDVS_TRY(rounded[step], in.numbers<std::int32_t>());
  }
  if (chain.empty()) return Error{ErrorCode::kCorrupt, "the checkpoint has no gradient chain"};
  chain_ = std::move(chain);
  rounded_ = std::move(rounded);
  return {};
}

}  // namespace fedvs::protocol
