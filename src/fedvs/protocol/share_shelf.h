// Model shares that a client holds of every sender, by version.
#pragma once
#include <optional>
#include <vector>

#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class ShareShelf {
 public:
  explicit ShareShelf(int senders)
      : held_(static_cast<std::size_t>(senders)), newest_(held_.size()) {}

  // False if the step is held already from the same incarnation: a step is never rounded twice, so
  // a second share of it is not believed while the first is held.
  bool add(int sender, const Version& version, SharePtr values);
  bool holds(int sender, const Version& version) const;
  SharePtr find(int sender, const Version& version) const;  // null where it is not held
  std::optional<StepNumber> newest(int sender) const {
    return newest_[static_cast<std::size_t>(sender)];
  }
  const std::vector<std::optional<StepNumber>>& newest() const { return newest_; }  // by sender
  // Drops versions older than the one named for each sender (those still needed by no plan).
  void forget_before(const std::vector<std::optional<Version>>& named);
  // Puts other values in the place of the step's, if it is held.
  void replace(int sender, StepNumber step, SharePtr values);

 private:
  struct Entry {
    Version version;
    SharePtr values;
  };
  using Versions = std::vector<Entry>;  // a few, by ascending step
  const Versions& of(int sender) const { return held_[static_cast<std::size_t>(sender)]; }
  static Versions::const_iterator at(const Versions& versions, StepNumber step);
  const Entry* entry(int sender, const Version& version) const;
  void note_newest(std::size_t sender);
  std::vector<Versions> held_;
  std::vector<std::optional<StepNumber>> newest_;
};

}  // namespace fedvs::protocol
