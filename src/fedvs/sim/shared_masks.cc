#include "fedvs/sim/shared_masks.h"

#include <algorithm>

#include "fedvs/base/check.h"
#include "fedvs/base/wipe.h"
#include "fedvs/coding/encoder.h"

namespace fedvs::sim {

class SharedMasks::MaskOfClient final : public protocol::UploadMask {
 public:
  MaskOfClient(const SharedMasks& masks, int client) : masks_(masks), client_(client) {}
  void add_to(field::RingMatrix& upload, const Digest& content) const override {
    const auto coefficients = masks_.coefficients(content, upload.rows(), upload.cols());
    std::vector<const field::RingMatrix*> terms;
    for (const auto& coefficient : *coefficients) terms.push_back(&coefficient);
    coding::encode(masks_.code_, coding::Polynomial::kMask, terms, client_, upload, {.add = true});
  }

 private:
  const SharedMasks& masks_;
  int client_;
};

SharedMasks::SharedMasks(const protocol::Agreement& agreement, const coding::LagrangeCode& code,
                         SecretSource& secrets)
    : code_(code), masks_(code, *agreement.family), seeds_(agreement.family->sets.size()) {
  FEDVS_CHECK(secrets.reproducible(), "only a seeded source makes the clients' seeds again");
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    secrets.stream(Purpose::kZeroMask, masks_.family().maker(set), set).fill(seeds_[set]);
  }
  for (int n = 0; n < agreement.shape.parties; ++n) {
    of_clients_.push_back(std::make_unique<MaskOfClient>(*this, n));
  }
}

SharedMasks::~SharedMasks() {
  for (auto& seed : seeds_) wipe(std::span(seed));
}

const protocol::UploadMask* SharedMasks::of(int client) const {
  return of_clients_[static_cast<std::size_t>(client)].get();
}

std::shared_ptr<const SharedMasks::Coefficients> SharedMasks::coefficients(const Digest& content,
                                                                           std::size_t rows,
                                                                           std::size_t cols) const {
  constexpr std::size_t kPlans = 3;
  std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(recent_, content, &Plan::content);
  if (found != recent_.end()) {
    FEDVS_CHECK(found->rows == rows, "the content of a plan determines its rows");
    return found->coefficients;
  }
  if (recent_.size() == kPlans) recent_.pop_front();
  auto made = masks_.coefficients(seeds_, content, rows, cols);
  recent_.push_back({content, rows, std::make_shared<const Coefficients>(std::move(made))});
  return recent_.back().coefficients;
}

}  // namespace fedvs::sim
