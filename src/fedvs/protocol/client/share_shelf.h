// Model shares that a client holds of every sender, by version.
#pragma once
#include <optional>
#include <ranges>
#include <vector>

#include "fedvs/protocol/messages.h"
#include "fedvs/protocol/per_client.h"

namespace fedvs::protocol {

class ShareShelf {
 public:
  explicit ShareShelf(int senders) : held_(senders), newest_(static_cast<std::size_t>(senders)) {}

  // False if the step is held already from the same incarnation: a step is never rounded twice, so
  // a second share of it is not believed while the first is held. A sender that has started anew
  // shares its step again, under its new incarnation: both are kept, plans may name either.
  bool add(int sender, const Version& version, SharePtr values);
  bool holds(int sender, const Version& version) const { return find_held(sender, version); }
  std::size_t count(int sender) const { return held_[sender].size(); }
  SharePtr find(int sender, const Version& version) const;  // null where it is not held
  std::optional<HeldVersion> newest(int sender) const {
    return newest_[static_cast<std::size_t>(sender)];
  }
  const std::vector<std::optional<HeldVersion>>& newest() const { return newest_; }  // by sender
  template <class Visit>  // visit(sender, version, values), of each sender the newest first
  void for_each(const Visit& visit) const {
    for (int sender = 0; sender < held_.size(); ++sender) {
      for (const Held& held : std::views::reverse(held_[sender])) {
        visit(sender, held.version, held.values);
      }
    }
  }
  // Drops versions older than the one named for each sender (those still needed by no plan).
  void forget_before(const std::vector<std::optional<Version>>& named);

 private:
  struct Held {
    Version version;
    SharePtr values;
  };
  const Held* find_held(int sender, const Version& version) const;
  void note_newest(int sender);
  PerClient<std::vector<Held>> held_;  // by step; those of one step as they came
  std::vector<std::optional<HeldVersion>> newest_;
};

}  // namespace fedvs::protocol
