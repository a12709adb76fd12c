#include <algorithm>

#include "fedvs/protocol/server/version_policy.h"

namespace fedvs::protocol {

// What plans were named by: a restarted server must name what clients can still hold. What was
// pending is asked for anew.
std::string VersionPolicy::save() const {
  ByteWriter out;
  out.flag(formed_);
  out.number<std::uint64_t>(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    out.numbers(groups_[g]);
    out.number(states_[g].ready);
    out.flag(states_[g].frozen);
  }
  for (const auto& incarnation : ready_as_)
    out.numbers(std::span<const std::uint8_t>(incarnation.bytes));
  for (const auto& step : released_at_) out.number<std::uint64_t>(step ? *step + 1 : 0);
  return out.take();
}

Status VersionPolicy::restore_group(ByteReader& in) {
  FEDVS_TRY(auto members, in.numbers<int>());
  GroupState state;
  FEDVS_TRY(state.ready, in.number<StepNumber>());
  FEDVS_TRY(state.frozen, in.flag());
  for (int n : members) {
    if (n < 0 || n >= agreement_.shape.parties)
      return Error{ErrorCode::kCorrupt, "a group with a stranger"};
  }
  groups_.push_back(std::move(members));
  states_.push_back(std::move(state));
  return {};
}

Status VersionPolicy::restore(ByteReader& in) {
  FEDVS_TRY(formed_, in.flag());
  FEDVS_TRY(const auto groups, in.number<std::uint64_t>());
  groups_.clear();
  states_.clear();
  for (std::uint64_t g = 0; g < groups; ++g) FEDVS_TRY_STATUS(restore_group(in));
  ready_as_.resize(static_cast<std::size_t>(agreement_.shape.parties));
  for (auto& incarnation : ready_as_) FEDVS_TRY_STATUS(read_exactly(in, incarnation.bytes));
  welcome_.clients = ready_as_;  // until everybody has said who it is now
  for (auto& step : released_at_) {
    FEDVS_TRY(const auto next, in.number<std::uint64_t>());
    if (next > 0) step = next - 1;
  }
  note_living();
  return {};
}

}  // namespace fedvs::protocol
