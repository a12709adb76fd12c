#include "fedvs/wire/write_parts.h"

#include <limits>

namespace fedvs::wire {
namespace {

void write(const std::vector<protocol::MaskRange>& ranges, v1::MaskRanges& out) {
  for (const protocol::MaskRange& range : ranges) {
    out.add_from(range.from);
    out.add_to(range.to);
  }
}

}  // namespace

void write(const protocol::SignedHead& head, v1::Head& out) {
  out.set_index(head.index);
  out.set_link(bytes_of(head.link));
  out.set_signature(bytes_of(head.signature));
}

void write(const protocol::Version& version, v1::Version& out) {
  out.set_step(version.step);
  out.set_incarnation(bytes_of(version.incarnation.bytes));
}

void write(const protocol::MaskId& id, v1::MaskId& out) {
  out.set_dealer(static_cast<std::uint32_t>(id.dealer));
  out.set_pool(static_cast<v1::MaskPool>(id.pool));
  out.set_number(id.number);
  out.set_dealer_incarnation(bytes_of(id.dealer_incarnation.bytes));
  out.set_server_incarnation(bytes_of(id.server_incarnation.bytes));
}

void write(const protocol::Plan& plan, v1::Plan& out) {
  out.set_round(plan.round);
  out.set_revision(plan.revision);
  out.set_epoch(static_cast<std::uint32_t>(plan.epoch));
  out.set_part(static_cast<v1::Part>(plan.part));
  out.mutable_rows()->Assign(plan.rows.begin(), plan.rows.end());
  for (const auto& version : plan.versions) {
    v1::Version* const added = out.add_versions();
    if (version) write(*version, *added);
  }
  for (const auto& id : plan.masks) write(id, *out.add_masks());
}

void write(const protocol::Groups& groups, v1::Groups& out) {
  for (const auto& group : groups) {
    out.add_groups()->mutable_members()->Assign(group.begin(), group.end());
  }
}

void write(const protocol::Holdings& holdings, v1::Holdings& out) {
  for (const auto& held : holdings.newest) {
    FEDVS_CHECK(!held || held->step < std::numeric_limits<protocol::StepNumber>::max(),
                "a step that can be counted past");
    out.add_newest_step(held ? held->step + 1 : 0);
    out.add_newest_life(held ? held->life : 0);
  }
  static_assert(protocol::kMaskPools == 2);
  write(holdings.masks[0], *out.mutable_training());
  write(holdings.masks[1], *out.mutable_evaluation());
  for (const auto& older : holdings.older) {
    out.add_older_sender(static_cast<std::uint32_t>(older.sender));
    out.add_older_step(older.version.step);
    out.add_older_life(older.version.life);
  }
  out.set_data_complete(holdings.data_complete);
  out.mutable_rows_held()->Assign(holdings.rows_held.begin(), holdings.rows_held.end());
  out.set_saved(holdings.saved);
}

}  // namespace fedvs::wire
