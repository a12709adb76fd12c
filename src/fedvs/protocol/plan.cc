#include "fedvs/protocol/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "fedvs/protocol/segments.h"

namespace fedvs::protocol {
namespace {

std::span<const std::uint8_t> bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(float)};
}

}  // namespace

Digest plan_digest(const Plan& plan) {
  Hasher hasher;
  hasher.add_u64(plan.round).add_u64(plan.revision).add_u64(static_cast<std::uint64_t>(plan.epoch));
  hasher.add_u64(static_cast<std::uint64_t>(plan.part)).add(version_vector_id(plan));
  hasher.add_u64(plan.rows.size());
  for (auto row : plan.rows) hasher.add_u64(row);
  return hasher.finish();
}

int Plan::summed_clients() const {
  return static_cast<int>(
      std::count_if(versions.begin(), versions.end(), [](const auto& v) { return v.has_value(); }));
}

Digest version_vector_id(const Plan& plan) {
  Hasher hasher;
  for (const auto& version : plan.versions) {
    hasher.add_u64(version ? version->step + 1 : 0);
    if (version) hasher.add(version->incarnation.bytes);
  }
  return hasher.finish();
}

Gradient::Gradient(std::shared_ptr<const Plan> plan, std::vector<float> values)
    : plan_(std::move(plan)),
      values_(std::make_shared<const std::vector<float>>(std::move(values))),
      digest_(Hasher().add(plan_digest(*plan_)).add(bytes_of(*values_)).finish()) {}

double row_norm(std::span<const float> row) {
  double squares = 0;
  for (float value : row) squares += static_cast<double>(value) * static_cast<double>(value);
  return std::isfinite(squares) ? std::sqrt(squares) : std::numeric_limits<double>::infinity();
}

double Gradient::longest_row(std::size_t width) const {
  return longest_row_.get([&] {
    double longest = 0;
    for (std::size_t at = 0; at + width <= values_->size(); at += width) {
      longest = std::max(longest, row_norm(std::span(*values_).subspan(at, width)));
    }
    return longest;
  });
}

const model::GradientBatch& Gradient::batch(const Agreement& agreement) const {
  return batch_.get([&] {
    const float scale = 1.0f / static_cast<float>(plan_->summed_clients());
    return model::GradientBatch(samples_of(agreement, plan_->part, plan_->rows), *values_,
                                agreement.width, scale);
  });
}

Digest next_link(const Digest& chain, const Gradient& gradient, double rate_factor) {
  const auto rate = std::bit_cast<std::uint64_t>(rate_factor);
  return Hasher().add(chain).add(gradient.digest()).add_u64(rate).finish();
}

}  // namespace fedvs::protocol
