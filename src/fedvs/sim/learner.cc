#include "fedvs/sim/learner.h"

#include "fedvs/base/bytes.h"

namespace fedvs::sim {

using protocol::Gradient;
using protocol::Plan;

Result<protocol::UploadBox::Opened> Learner::open(protocol::UploadBox& box) {
  if (numbers_ == Numbers::kComputed) return protocol::Learner::open(box);
  return protocol::UploadBox::Opened{};
}

Learner::Learned Learner::learn(const std::shared_ptr<const Plan>& plan,
                                const std::vector<std::int64_t>& sums) {
  if (numbers_ == Numbers::kNone) return {.loss = 0, .gradient = recalled(plan)};
  const bool computed = numbers_ == Numbers::kComputed;
  Learned learned = computed ? protocol::Learner::learn(plan, sums)
                             : Learned{.loss = 0, .gradient = recalled(plan)};
  recent_.push_back(learned.gradient);
  if (recent_.size() > kRecent) recent_.pop_front();
  digests_.push_back(learned.gradient->digest());
  return learned;
}

// In a dry run, and where all clients have applied it, only its size matters.
std::shared_ptr<const Gradient> Learner::recalled(const std::shared_ptr<const Plan>& plan) {
  const auto& a = agreement();
  const auto known = recalled_.find(plan->round);
  const auto& values =
      known != recalled_.end()
          ? known->second
          : blank(plan->rows.size() * static_cast<std::size_t>(a.shape.blocks) * a.width);
  const Digest digest =
      plan->round < recalled_digests_.size() ? recalled_digests_[plan->round] : Digest{};
  return std::make_shared<const Gradient>(plan, values, digest);
}

const Learner::Values& Learner::blank(std::size_t size) {
  if (!blank_ || blank_->size() != size) {
    blank_ = std::make_shared<const std::vector<float>>(size, 0.0f);
  }
  return blank_;
}

void Learner::predict(const Plan& plan, const std::vector<std::int64_t>& sums) {
  if (numbers_ == Numbers::kComputed) protocol::Learner::predict(plan, sums);
}

std::optional<model::Metrics> Learner::metrics(data::Part part) {
  if (numbers_ != Numbers::kComputed) return std::nullopt;
  return protocol::Learner::metrics(part);
}

std::string Learner::save_gradients(std::uint64_t first) const {
  ByteWriter out;
  for (const auto& gradient : recent_) {
    if (gradient->plan().round < first) continue;
    out.number(gradient->plan().round);
    out.numbers(gradient->values());
  }
  return out.take();
}

std::string Learner::save_digests() const {
  ByteWriter out;
  for (const Digest& digest : digests_) out.numbers(std::span<const std::uint8_t>(digest));
  return out.take();
}

Status Learner::recall_gradients(const std::string& gradients, const std::string& digests) {
  ByteReader in(gradients);
  while (in.left() > 0) {
    FEDVS_TRY(const auto round, in.number<std::uint64_t>());
    FEDVS_TRY(auto values, in.numbers<float>());
    recalled_[round] = std::make_shared<const std::vector<float>>(std::move(values));
  }
  ByteReader links(digests);
  while (links.left() > 0) {
    FEDVS_TRY_STATUS(read_exactly(links, recalled_digests_.emplace_back()));
  }
  return {};
}

}  // namespace fedvs::sim
