#include "fedvs/protocol/client/known_groups.h"

#include <algorithm>

#include "fedvs/protocol/of_client.h"

namespace fedvs::protocol {

void KnownGroups::note(std::shared_ptr<const Groups> groups) {
  of_run_ = std::move(groups);
  for (std::size_t g = 0; g < of_run_->size(); ++g) {
    for (const int n : (*of_run_)[g]) place_[n] = g;
  }
}

bool KnownGroups::is_complete(int sender, const ShareShelf& shelf) const {
  const StepNumber step = shelf.newest(sender)->step;
  return std::ranges::all_of((*of_run_)[place_[sender]], [&](int n) {
    const bool released = !released_.empty() && of_client(released_, n);
    const auto newest = shelf.newest(n);
    return released || (newest && newest->step == step);  // each of its own sender's life
  });
}

void KnownGroups::save(ByteWriter& out) const {
  out.flag(of_run_ != nullptr);
  if (!of_run_) return;
  out.number<std::uint64_t>(of_run_->size());
  for (const auto& group : *of_run_) out.numbers(group);
}

Result<Groups> KnownGroups::read(ByteReader& in) {
  Groups groups;
  FEDVS_TRY(const bool grouped, in.flag());
  if (!grouped) return groups;
  FEDVS_TRY(const auto count, in.number<std::uint64_t>());
  for (std::uint64_t g = 0; g < count; ++g) {
    FEDVS_TRY(auto members, in.numbers<int>());
    groups.push_back(std::move(members));
  }
  return groups;
}

}  // namespace fedvs::protocol
