// What plans were named by: a restarted server must name what clients can still hold. What was
// pending is asked for anew.
#include <fmt/format.h>

#include "fedvs/protocol/saved.h"
#include "fedvs/protocol/server/version_policy.h"
#include "fedvs/v1/server_state.pb.h"

namespace fedvs::protocol {

void VersionPolicy::save(v1::SavedPolicy& to) const {
  to.set_formed(formed_);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    auto& group = *to.add_groups();
    protocol::save(groups_[g], *group.mutable_clients());
    group.set_ready(states_[g].ready);
    group.set_frozen(states_[g].frozen);
  }
  for (const auto& life : ready_as_) to.add_ready_as(life.bytes.data(), life.bytes.size());
  for (std::size_t n = 0; n < released_at_.size(); ++n) {
    if (!released_at_[n]) continue;
    auto& release = *to.add_released();
    release.set_client(static_cast<std::uint32_t>(n));
    release.set_step(*released_at_[n]);
  }
}

Status VersionPolicy::restore(const v1::SavedPolicy& from) {
  const auto known = parties(agreement_);
  // Before everybody has come there are none.
  const auto lives = static_cast<std::size_t>(from.ready_as_size());
  if (lives != known && lives != 0) {
    return corrupt("the server's notes", fmt::format("are of {} clients, not {}", lives, known));
  }
  formed_ = from.formed();
  groups_.clear();
  states_.clear();
  for (const auto& saved : from.groups()) {
    FEDVS_TRY(auto group, restored(saved.clients(), agreement_.shape.parties));
    groups_.push_back(std::move(group));
    auto& state = states_.emplace_back();
    state.ready = saved.ready();
    state.frozen = saved.frozen();
  }
  ready_as_.assign(known, {});
  for (std::size_t n = 0; n < lives; ++n) {
    FEDVS_TRY_STATUS(
        copy_exactly("a note of a life", from.ready_as(static_cast<int>(n)), ready_as_[n].bytes));
  }
  welcome_.clients = ready_as_;  // until everybody has said who it is now
  for (const auto& release : from.released()) {
    if (release.client() >= released_at_.size()) {
      return corrupt("the server's notes", fmt::format("release client {}", release.client()));
    }
    released_at_[release.client()] = release.step();
  }
  note_living();
  return {};
}

}  // namespace fedvs::protocol
