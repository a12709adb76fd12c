#include "fedvs/protocol/share_shelf.h"

namespace fedvs::protocol {

bool ShareShelf::add(int sender, const Version& version, MatrixPtr values) {
  auto& versions = held_[static_cast<std::size_t>(sender)];
  const auto found = versions.find(version.step);
  if (found != versions.end() && found->second.first == version) return false;
  versions.insert_or_assign(version.step, std::pair(version, std::move(values)));
  return true;
}

const field::RingMatrix* ShareShelf::find(int sender, const Version& version) const {
  const auto& versions = held_[static_cast<std::size_t>(sender)];
  const auto found = versions.find(version.step);
  if (found == versions.end() || found->second.first != version) return nullptr;
  return found->second.second.get();
}

std::optional<StepNumber> ShareShelf::newest(int sender) const {
  const auto& versions = held_[static_cast<std::size_t>(sender)];
  if (versions.empty()) return std::nullopt;
  return versions.rbegin()->first;
}

void ShareShelf::forget_before(const std::vector<std::optional<Version>>& named) {
  for (std::size_t sender = 0; sender < named.size(); ++sender) {
    if (!named[sender]) continue;
    auto& versions = held_[sender];
    versions.erase(versions.begin(), versions.lower_bound(named[sender]->step));
  }
}

}  // namespace fedvs::protocol
