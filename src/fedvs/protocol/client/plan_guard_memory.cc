// What a client remembers over a restart of the plans that it has accepted.
#include <fmt/format.h>

#include "fedvs/protocol/client/plan_guard.h"

namespace fedvs::protocol {

// Of the last plan only its place among the others: no plan of its revision is accepted again.
std::string PlanGuard::save() const {
  ByteWriter out;
  out.number<std::uint64_t>(last_ ? last_->revision + 1 : 0);
  out.number<std::uint64_t>(last_ ? last_->round : 0);
  out.number(epoch_);
  out.flag(groups_fixed_);
  out.number<std::uint64_t>(groups_.size());
  for (const auto& group : groups_) out.numbers(group);
  for (const auto& step : released_at_) out.number<std::uint64_t>(step ? *step + 1 : 0);
  for (const auto& rows : vector_of_row_) out.numbers(rows);
  out.number<std::uint64_t>(vectors_.size());
  for (const auto& id : vectors_) out.numbers(std::span<const std::uint8_t>(id));
  return out.take();
}

Status PlanGuard::restore(ByteReader& in) {
  FEDVS_TRY(const auto next, in.number<std::uint64_t>());
  FEDVS_TRY(const auto round, in.number<std::uint64_t>());
  last_.reset();
  if (next > 0) {
    last_.emplace();
    last_->revision = next - 1;
    last_->round = round;
  }
  FEDVS_TRY(epoch_, in.number<int>());
  FEDVS_TRY(groups_fixed_, in.flag());
  FEDVS_TRY(const auto groups, in.number<std::uint64_t>());
  groups_.clear();
  for (std::uint64_t g = 0; g < groups; ++g) {
    FEDVS_TRY(auto members, in.numbers<int>());
    groups_.push_back(std::move(members));
  }
  for (auto& step : released_at_) {
    FEDVS_TRY(const auto next_step, in.number<std::uint64_t>());
    step = next_step > 0 ? std::optional(next_step - 1) : std::nullopt;
  }
  return restore_rows(in);
}

Status PlanGuard::restore_rows(ByteReader& in) {
  for (auto& rows : vector_of_row_) {
    FEDVS_TRY(auto read, in.numbers<std::uint32_t>());
    if (read.size() != rows.size()) {
      return Error{ErrorCode::kCorrupt, fmt::format("notes of {} coded rows where this job has {}",
                                                    read.size(), rows.size())};
    }
    rows = std::move(read);
  }
  FEDVS_TRY(const auto vectors, in.number<std::uint64_t>());
  vectors_.clear();
  for (std::uint64_t i = 0; i < vectors; ++i)
    FEDVS_TRY_STATUS(read_exactly(in, vectors_.emplace_back()));
  for (const auto& rows : vector_of_row_) {
    for (auto place : rows) {
      if (place > vectors_.size())
        return Error{ErrorCode::kCorrupt, "a row's note names no vector"};
    }
  }
  return {};
}

}  // namespace fedvs::protocol
