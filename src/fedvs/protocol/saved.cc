#include "fedvs/protocol/saved.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/agreement.h"
#include "fedvs/v1/state.pb.h"

namespace fedvs::protocol {

Error corrupt(std::string_view what, std::string_view why) {
  return {ErrorCode::kCorrupt, fmt::format("{} {}", what, why)};
}

Status check_saved_version(std::string_view what, std::uint32_t version) {
  if (version == kSavedVersion) return {};
  return Error{
      ErrorCode::kBadFile,
      fmt::format("{} has format version {}, and this program reads version {}; go on with "
                  "the release of FedVS that wrote it, or begin anew without it",
                  what, version, kSavedVersion)};
}

Status copy_exactly(std::string_view what, std::string_view from, std::span<std::uint8_t> to) {
  if (from.size() != to.size()) {
    return corrupt(what, fmt::format("has {} bytes where {} belong", from.size(), to.size()));
  }
  std::copy(from.begin(), from.end(), to.begin());
  return {};
}

void save(const NamedVersions& versions, v1::SavedVersions& to) {
  for (const auto& version : versions) {
    auto& saved = *to.add_clients();
    saved.set_dropped(!version);
    if (!version) continue;
    saved.set_step(version->step);
    saved.set_life(version->incarnation.bytes.data(), version->incarnation.bytes.size());
  }
}

Result<NamedVersions> restored(const v1::SavedVersions& from, int parties) {
  if (from.clients_size() != parties) {
    return corrupt("a note of versions",
                   fmt::format("is of {} clients, this job has {}", from.clients_size(), parties));
  }
  NamedVersions versions;
  for (const auto& saved : from.clients()) {
    auto& version = versions.emplace_back();
    if (saved.dropped()) continue;
    version.emplace().step = saved.step();
    FEDVS_TRY_STATUS(copy_exactly("a note of a life", saved.life(), version->incarnation.bytes));
  }
  return versions;
}

void save(const Plan& plan, v1::SavedPlan& to) {
  to.set_round(plan.round);
  to.set_revision(plan.revision);
  to.set_epoch(plan.epoch);
  to.set_part(static_cast<std::uint32_t>(plan.part));
  for (const auto row : plan.rows) to.add_rows(row);
  save(plan.versions, *to.mutable_versions());
}

Result<Plan> restored(const Agreement& agreement, const v1::SavedPlan& from) {
  if (from.part() >= data::kParts) return corrupt("a note of a plan", "is of no part");
  Plan plan{.round = from.round(),
            .revision = from.revision(),
            .epoch = from.epoch(),
            .part = static_cast<data::Part>(from.part()),
            .rows = {from.rows().begin(), from.rows().end()},
            .versions = {}};
  const auto known = agreement.coded_rows(plan.part);
  if (std::ranges::any_of(plan.rows, [&](auto row) { return row >= known; })) {
    return corrupt("a note of a plan", "names rows that this job does not have");
  }
  FEDVS_TRY(plan.versions, restored(from.versions(), agreement.shape.parties));
  return plan;
}

void save(const std::vector<int>& group, v1::SavedGroup& to) {
  for (const int member : group) to.add_members(static_cast<std::uint32_t>(member));
}

Result<std::vector<int>> restored(const v1::SavedGroup& from, int parties) {
  std::vector<int> group;
  for (const auto member : from.members()) {
    if (member >= static_cast<std::uint32_t>(parties)) {
      return corrupt("a note of groups", fmt::format("names client {} of {}", member, parties));
    }
    group.push_back(static_cast<int>(member));
  }
  return group;
}

void save(const Groups& groups, v1::SavedGroups& to) {
  for (const auto& group : groups) save(group, *to.add_groups());
}

Result<Groups> restored(const v1::SavedGroups& from, int parties) {
  Groups groups;
  for (const auto& saved : from.groups()) {
    FEDVS_TRY(auto group, restored(saved, parties));
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace fedvs::protocol
