// Model shares that a client holds of every sender, by version.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class ShareShelf {
 public:
  explicit ShareShelf(int senders)
      : first_(static_cast<std::size_t>(senders), kNone), newest_(first_.size()) {}

  // False if the step is held already from the same incarnation: a step is never rounded twice, so
  // a second share of it is not believed while the first is held. A sender that has started anew
  // shares its step again, under its new incarnation: both are kept, plans may name either.
  bool add(int sender, const Version& version, SharePtr values);
  bool holds(int sender, const Version& version) const;
  std::size_t count(int sender) const;
  SharePtr find(int sender, const Version& version) const;  // null where it is not held
  std::optional<HeldVersion> newest(int sender) const {
    return newest_[static_cast<std::size_t>(sender)];
  }
  const std::vector<std::optional<HeldVersion>>& newest() const { return newest_; }  // by sender
  template <class Visit>  // visit(sender, version, values)
  void for_each(const Visit& visit) const {
    for (std::size_t sender = 0; sender < first_.size(); ++sender) {
      for (Place at = first_[sender]; at != kNone; at = entries_[at].older) {
        visit(static_cast<int>(sender), entries_[at].version, entries_[at].values);
      }
    }
  }
  // Drops versions older than the one named for each sender (those still needed by no plan).
  void forget_before(const std::vector<std::optional<Version>>& named);

 private:
  // The versions of a sender are chained from the newest down, through places of one array for all
  // senders: whoever forgets as much as it adds allocates nothing and stays within a few pages.
  using Place = std::uint32_t;
  static constexpr Place kNone = ~Place{0};
  struct Entry {
    Version version;
    SharePtr values;
    Place older = kNone;
  };
  Place first_of(int sender) const { return first_[static_cast<std::size_t>(sender)]; }
  // Where the chain names the newest version that is not after `step`, or ends.
  Place& link_to(std::size_t sender, StepNumber step);
  const Entry* entry(int sender, const Version& version) const;
  void make_room();  // for one more
  void note_newest(std::size_t sender);
  std::vector<Entry> entries_;
  std::vector<Place> free_;
  std::vector<Place> first_;  // by sender
  std::vector<std::optional<HeldVersion>> newest_;
};

}  // namespace fedvs::protocol
