#include "fedvs/protocol/client/share_shelf.h"

#include <algorithm>
#include <utility>

#include "fedvs/protocol/of_client.h"

namespace fedvs::protocol {

const ShareShelf::Held* ShareShelf::find_held(int sender, const Version& version) const {
  const auto& held = held_[sender];
  const auto found = std::ranges::find(held, version, &Held::version);
  return found == held.end() ? nullptr : &*found;
}

bool ShareShelf::add(int sender, const Version& version, SharePtr values) {
  if (holds(sender, version)) return false;
  auto& held = held_[sender];
  const auto newer = std::ranges::upper_bound(held, version.step, {},
                                              [](const Held& h) { return h.version.step; });
  held.insert(newer, {version, std::move(values)});
  note_newest(sender);
  return true;
}

SharePtr ShareShelf::find(int sender, const Version& version) const {
  const Held* found = find_held(sender, version);
  return found == nullptr ? nullptr : found->values;
}

void ShareShelf::note_newest(int sender) {
  auto& newest = of_client(newest_, sender);
  newest.reset();
  if (held_[sender].empty()) return;
  const Version& version = held_[sender].back().version;
  newest = HeldVersion{version.step, version.incarnation.short_id()};
}

void ShareShelf::forget_before(const std::vector<std::optional<Version>>& named) {
  for (int sender = 0; sender < held_.size(); ++sender) {
    const auto& version = of_client(named, sender);
    if (!version) continue;
    std::erase_if(held_[sender], [&](const Held& h) { return h.version.step < version->step; });
    note_newest(sender);
  }
}

}  // namespace fedvs::protocol
