#include "fedvs/protocol/share_shelf.h"

#include <algorithm>

namespace fedvs::protocol {

// The first entry of this step or a later one.
ShareShelf::Versions::const_iterator ShareShelf::at(const Versions& versions, StepNumber step) {
  return std::ranges::lower_bound(versions, step, {},
                                  [](const Entry& e) { return e.version.step; });
}

const ShareShelf::Entry* ShareShelf::entry(int sender, const Version& version) const {
  const auto found = at(of(sender), version.step);
  return found != of(sender).end() && found->version == version ? &*found : nullptr;
}

bool ShareShelf::add(int sender, const Version& version, SharePtr values) {
  auto& versions = held_[static_cast<std::size_t>(sender)];
  const auto place = versions.begin() + (at(versions, version.step) - versions.cbegin());
  if (place == versions.end() || place->version.step != version.step) {
    versions.insert(place, {version, std::move(values)});
    note_newest(static_cast<std::size_t>(sender));
    return true;
  }
  if (place->version == version) return false;
  *place = {version, std::move(values)};
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
  const auto& versions = held_[sender];
  newest_[sender] = versions.empty() ? std::nullopt : std::optional(versions.back().version.step);
}

void ShareShelf::forget_before(const std::vector<std::optional<Version>>& named) {
  for (std::size_t sender = 0; sender < named.size(); ++sender) {
    if (!named[sender]) continue;
    auto& versions = held_[sender];
    if (versions.empty() || versions.front().version.step >= named[sender]->step) continue;
    versions.erase(versions.cbegin(), at(versions, named[sender]->step));
    note_newest(sender);
  }
}

void ShareShelf::replace(int sender, StepNumber step, SharePtr values) {
  auto& versions = held_[static_cast<std::size_t>(sender)];
  const auto place = versions.begin() + (at(versions, step) - versions.cbegin());
  if (place != versions.end() && place->version.step == step) place->values = std::move(values);
}

}  // namespace fedvs::protocol
