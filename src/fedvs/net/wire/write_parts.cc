#include "fedvs/net/wire/write_parts.h"

#include <limits>

namespace fedvs::wire {
void write(const protocol::SignedHead& head, v1::Head& out) {
  out.set_index(head.index);
  out.set_link(bytes_of(head.link));
  out.set_signature(bytes_of(head.signature));
}

void write(const protocol::Version& version, v1::Version& out) {
  out.set_step(version.step);
  out.set_incarnation(bytes_of(version.incarnation.bytes));
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
    out.add_newest_life(held ? held->short_id : 0);
  }
  for (const auto& older : holdings.older) {
    out.add_older_sender(static_cast<std::uint32_t>(older.sender));
    out.add_older_step(older.version.step);
    out.add_older_life(older.version.short_id);
  }
  out.set_data_complete(holdings.data_complete);
  out.mutable_rows_held()->Assign(holdings.rows_held.begin(), holdings.rows_held.end());
  out.set_saved(holdings.saved);
}

}  // namespace fedvs::wire
