#include "fedvs/protocol/client/local_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fedvs/protocol/segments.h"
#include "fedvs/quant/fixed_point.h"

namespace fedvs::protocol {

LocalModel::LocalModel(const Agreement& agreement, int client, Rows rows,
                       model::PolynomialNetwork network, model::Optimizer optimizer)
    : agreement_(agreement),
      client_(client),
      rows_(std::move(rows)),
      network_(std::move(network)),
      optimizer_(std::move(optimizer)),
      guard_(agreement.ring, agreement.shape.parties),
      chain_(agreement),
      gradient_(network_.weights.size()) {
  for (const auto& part : rows_) part.add_to(guard_);
}

LocalModel::Rows LocalModel::own_rows(const Agreement& agreement, int client,
                                      const data::Table (&features)[data::kParts]) {
  const int degree = agreement.clients[static_cast<std::size_t>(client)].degree;
  Rows rows;
  for (std::size_t part = 0; part < rows.size(); ++part) {
    rows[part] = model::FixedRows(features[part], degree, agreement.scales.l_x);
  }
  return rows;
}

void LocalModel::accept(const Gradient& gradient, double rate_factor) {
  chain_.add(gradient, rate_factor);
}

void LocalModel::learn(const Gradient& gradient, double rate_factor) {
  const Plan& plan = gradient.plan();
  if (plan.versions[static_cast<std::size_t>(client_)].has_value()) {
    model::weight_gradient(rows(plan.part), gradient.batch(agreement_), gradient_);
    optimizer_.step(network_.weights, gradient_);
  }
  optimizer_.scale_rate(rate_factor);
}

Status LocalModel::round(StepNumber step, SecretSource& secrets) {
  auto [entry, is_new] = rounded_.try_emplace(step);
  if (!is_new || !fits_) return fits_;
  entry->second = std::exchange(spare_, {});
  entry->second.resize(network_.weights.size());
  fits_ = check_range();
  if (fits_) {
    Prng rounding = secrets.stream(Purpose::kRounding, client_, step);
    quant::round_stochastic(network_.weights, agreement_.scales.l_w, rounding, entry->second);
    fits_ = check_columns(entry->second);
  }
  if (!fits_) std::ranges::fill(entry->second, 0);
  return fits_;
}

// Weights that 32-bit integers cannot hold, or that are no numbers any more.
Status LocalModel::check_range() const {
  const float limit = std::ldexp(1.0f, 30 - agreement_.scales.l_w);
  if (model::all_below(limit, network_.weights)) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{}'s model has weights of {} or more, or that are no numbers: training "
                           "diverged; lower train.lr_client, or code.l_w = {}",
                           agreement_.name(client_), limit, agreement_.scales.l_w)};
}

Status LocalModel::check_columns(std::span<const std::int32_t> integers) const {
  for (std::size_t j = 0; j < network_.width; ++j) {
    const auto column = integers.subspan(j * network_.inputs, network_.inputs);
    if (guard_.allows(column)) continue;
    const std::string ring = guard_.ring_for(column);
    return Error{
        ErrorCode::kRefused,
        fmt::format("{}'s model has outgrown ring {}: sums could wrap; {}lower code.l_w = {} "
                    "or train.lr_client",
                    agreement_.name(client_), agreement_.ring.name(),
                    ring.empty() ? "" : fmt::format("code.ring = {} would do, or ", ring),
                    agreement_.scales.l_w)};
  }
  return {};
}

void LocalModel::forget_before(StepNumber step) {
  const auto kept = rounded_.lower_bound(step);
  for (auto old = rounded_.begin(); old != kept; old = rounded_.erase(old)) {
    spare_ = std::move(old->second);
  }
}

Status LocalModel::adopt(std::string_view saved, std::optional<StepNumber> version) {
  FEDVS_TRY_STATUS(restore(saved));
  const auto adopted = rounded_.find(version.value_or(step()));
  if (adopted == rounded_.end()) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("the checkpoint has no shared version of client {}'s step {}; finish "
                             "the run first",
                             client_ + 1, version.value_or(step()))};
  }
  auto integers = std::move(adopted->second);
  if (const auto fits = check_columns(integers); !fits) {
    return Error{ErrorCode::kBadData,
                 fmt::format("client {} has a row too large for its model: sums could wrap in ring "
                             "{}; leave out rows far from those of training",
                             client_ + 1, agreement_.ring.name())};
  }
  rounded_.clear();
  rounded_.emplace(0, std::move(integers));
  chain_.begin_anew();
  return {};
}

}  // namespace fedvs::protocol
