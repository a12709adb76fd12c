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

}  // namespace fedvs::protocol
