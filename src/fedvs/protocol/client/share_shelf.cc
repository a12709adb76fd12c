#include "fedvs/protocol/client/share_shelf.h"

#include <utility>

namespace fedvs::protocol {

ShareShelf::Place& ShareShelf::link_to(std::size_t sender, StepNumber step) {
  Place* link = &first_[sender];
  while (*link != kNone && entries_[*link].version.step > step) link = &entries_[*link].older;
  return *link;
}

const ShareShelf::Entry* ShareShelf::entry(int sender, const Version& version) const {
  for (Place at = first_of(sender); at != kNone; at = entries_[at].older) {
    if (entries_[at].version == version) return &entries_[at];
  }
  return nullptr;
}

void ShareShelf::make_room() {
  if (!free_.empty()) return;
  free_.push_back(static_cast<Place>(entries_.size()));
  entries_.emplace_back();
}

bool ShareShelf::add(int sender, const Version& version, SharePtr values) {
  if (holds(sender, version)) return false;
  make_room();  // first: it moves the entries
  Place& link = link_to(static_cast<std::size_t>(sender), version.step);
  const Place place = free_.back();
  free_.pop_back();
  entries_[place] = {version, std::move(values), std::exchange(link, place)};
  note_newest(static_cast<std::size_t>(sender));
  return true;
}

bool ShareShelf::holds(int sender, const Version& version) const {
  return entry(sender, version) != nullptr;
}

SharePtr ShareShelf::find(int sender, const Version& version) const {
  const Entry* found = entry(sender, version);
  return found == nullptr ? nullptr : found->values;
}

void ShareShelf::note_newest(std::size_t sender) {
  const Place first = first_[sender];
  newest_[sender].reset();
  if (first == kNone) return;
  const Version& version = entries_[first].version;
  newest_[sender] = HeldVersion{version.step, version.incarnation.short_id()};
}

std::size_t ShareShelf::count(int sender) const {
  std::size_t held = 0;
  for (Place at = first_of(sender); at != kNone; at = entries_[at].older) ++held;
  return held;
}

void ShareShelf::forget_before(const std::vector<std::optional<Version>>& named) {
  for (std::size_t sender = 0; sender < named.size(); ++sender) {
    if (!named[sender] || named[sender]->step == 0) continue;
    Place& link = link_to(sender, named[sender]->step - 1);
    for (Place at = std::exchange(link, kNone); at != kNone;) {
      entries_[at].values.reset();
      free_.push_back(at);
      at = std::exchange(entries_[at].older, kNone);
    }
    note_newest(sender);
  }
}

}  // namespace fedvs::protocol
