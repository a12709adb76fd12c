// The server's learning in the simulator: computed, or left out where a run is only gone through.
// It remembers the gradients that may still be on their way to slow clients, for checkpoints.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fedvs/protocol/server/learner.h"
#include "fedvs/sim/numbers.h"

namespace fedvs::sim {

class Learner final : public protocol::Learner {
 public:
  static constexpr std::size_t kRecent = 16;  // gradients that it keeps

  using protocol::Learner::Learner;
  void set_numbers(Numbers numbers) { numbers_ = numbers; }

  Result<protocol::UploadBox::Opened> open(protocol::UploadBox& box) override;
  Learned learn(const std::shared_ptr<const protocol::Plan>& plan,
                const std::vector<std::int64_t>& sums) override;
  void predict(const protocol::Plan& plan, const std::vector<std::int64_t>& sums) override;
  std::optional<model::Metrics> metrics(data::Part part) override;

  // The values of the gradients that some client has not applied, from round `first` on; and the
  // digests of all, which the links in models' shares follow from.
  std::string save_gradients(std::uint64_t first) const;
  std::string save_digests() const;
  // Before a replay: what its gradients are to be. After it: whether these were all.
  Status recall_gradients(const std::string& gradients, const std::string& digests);  // kCorrupt
  bool recalled_all() const { return recalled_digests_.size() == digests_.size(); }

 private:
  using Values = std::shared_ptr<const std::vector<float>>;
  std::shared_ptr<const protocol::Gradient> recalled(
      const std::shared_ptr<const protocol::Plan>& plan);
  const Values& blank(std::size_t size);

  Numbers numbers_ = Numbers::kComputed;
  std::deque<std::shared_ptr<const protocol::Gradient>> recent_;  // oldest first
  std::vector<Digest> digests_;                                   // by round
  std::vector<Digest> recalled_digests_;
  std::map<std::uint64_t, Values> recalled_;  // by round
  Values blank_;
};

}  // namespace fedvs::sim
