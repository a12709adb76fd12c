// Model shares that a client holds of every sender, by version.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class ShareShelf {
 public:
  using MatrixPtr = std::shared_ptr<const field::RingMatrix>;
  explicit ShareShelf(int senders) : held_(static_cast<std::size_t>(senders)) {}

  // False if the step is held already from the same incarnation: a step is never rounded twice, so
  // a second share of it is not believed while the first is held.
  bool add(int sender, const Version& version, MatrixPtr values);
  const field::RingMatrix* find(int sender, const Version& version) const;
  std::optional<StepNumber> newest(int sender) const;
  // Drops versions older than the one named for each sender (those still needed by no plan).
  void forget_before(const std::vector<std::optional<Version>>& named);

  using Versions = std::map<StepNumber, std::pair<Version, MatrixPtr>>;
  std::vector<Versions>& all() { return held_; }

 private:
  std::vector<Versions> held_;
};

}  // namespace fedvs::protocol
