#include "fedvs/protocol/plan.h"

#include <algorithm>

namespace fedvs::protocol {
namespace {

std::span<const std::uint8_t> bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(float)};
}

void add_plan(Hasher& hasher, const Plan& plan) {
  hasher.add_u64(plan.round).add_u64(plan.revision).add_u64(version_vector_id(plan));
  for (auto row : plan.rows) hasher.add_u64(row);
}

}  // namespace

int Plan::summed_clients() const {
  return static_cast<int>(
      std::count_if(versions.begin(), versions.end(), [](const auto& v) { return v.has_value(); }));
}

std::uint64_t version_vector_id(const Plan& plan) {
  std::uint64_t id = 0xcbf29ce484222325u;  // FNV-1a
  auto mix = [&id](std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) {
      id = (id ^ ((word >> (8 * byte)) & 0xff)) * 0x100000001b3u;
    }
  };
  for (const auto& version : plan.versions) {
    mix(version ? version->step + 1 : 0);
    if (!version) continue;
    for (auto byte : version->incarnation.bytes) mix(byte);
  }
  return id;
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

Digest next_link(const Digest& chain, const Gradient& gradient) {
  return Hasher().add(chain).add(gradient.digest()).finish();
}

}  // namespace fedvs::protocol
