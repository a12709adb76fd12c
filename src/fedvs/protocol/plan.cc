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

void add_plan(Hasher& hasher, const Plan& plan) {
  hasher.add_u64(plan.round).add_u64(plan.revision).add(version_vector_id(plan));
  hasher.add_u64(plan.rows.size());
  for (auto row : plan.rows) hasher.add_u64(row);
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

void write_plan(ByteWriter& out, const Plan& plan) {
  out.number(plan.round);
  out.number(plan.revision);
  out.number(plan.epoch);
  out.number(plan.part);
  out.number<std::uint64_t>(plan.rows.size());
  for (auto row : plan.rows) out.number<std::uint64_t>(row);
  out.number<std::uint64_t>(plan.versions.size());
  for (const auto& version : plan.versions) {
    out.number<std::uint64_t>(version ? version->step + 1 : 0);
    if (version) out.numbers(std::span<const std::uint8_t>(version->incarnation.bytes));
  }
}

static Status read_versions(ByteReader& in, Plan& plan) {
  FEDVS_TRY(const auto versions, in.number<std::uint64_t>());
  for (std::uint64_t n = 0; n < versions; ++n) {
    FEDVS_TRY(const auto next, in.number<std::uint64_t>());
    auto& version = plan.versions.emplace_back();
    if (next == 0) continue;
    version.emplace().step = next - 1;
    FEDVS_TRY_STATUS(read_exactly(in, version->incarnation.bytes));
  }
  return {};
}

Result<Plan> read_plan(ByteReader& in) {
  Plan plan;
  FEDVS_TRY(plan.round, in.number<std::uint64_t>());
  FEDVS_TRY(plan.revision, in.number<std::uint64_t>());
  FEDVS_TRY(plan.epoch, in.number<int>());
  FEDVS_TRY(plan.part, in.number<data::Part>());
  FEDVS_TRY(const auto rows, in.number<std::uint64_t>());
  for (std::uint64_t i = 0; i < rows; ++i) {
    FEDVS_TRY(const auto row, in.number<std::uint64_t>());
    plan.rows.push_back(row);
  }
  FEDVS_TRY_STATUS(read_versions(in, plan));
  return plan;
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
    : plan_(std::move(plan)) {
  fill(std::move(values));
}

void Gradient::fill(std::vector<float> values) {
  values_ = std::move(values);
  Hasher hasher;
  add_plan(hasher, *plan_);
  digest_ = hasher.add(bytes_of(values_)).finish();
}

double row_norm(std::span<const float> row) {
  double squares = 0;
  for (float value : row) squares += static_cast<double>(value) * static_cast<double>(value);
  return std::isfinite(squares) ? std::sqrt(squares) : std::numeric_limits<double>::infinity();
}

double Gradient::longest_row(std::size_t width) const {
  return longest_row_.get([&] {
    double longest = 0;
    for (std::size_t at = 0; at + width <= values_.size(); at += width) {
      longest = std::max(longest, row_norm(std::span(values_).subspan(at, width)));
    }
    return longest;
  });
}

const model::GradientBatch& Gradient::batch(const Agreement& agreement) const {
  return batch_.get([&] {
    const float scale = 1.0f / static_cast<float>(plan_->summed_clients());
    return model::GradientBatch(samples_of(agreement, plan_->part, plan_->rows), values_,
                                agreement.width, scale);
  });
}

Digest next_link(const Digest& chain, const Gradient& gradient, double rate_factor) {
  const auto rate = std::bit_cast<std::uint64_t>(rate_factor);
  return Hasher().add(chain).add(gradient.digest()).add_u64(rate).finish();
}

}  // namespace fedvs::protocol
