// What a client remembers over restarts of the plans that it has accepted.
#include <fmt/format.h>

#include "fedvs/protocol/client/plan_book.h"
#include "fedvs/protocol/saved.h"
#include "fedvs/v1/client_state.pb.h"

namespace fedvs::protocol {

void PlanBook::save(v1::SavedPlans& to) const {
  guard_.save(*to.mutable_guard());
  if (groups_.of_run()) protocol::save(*groups_.of_run(), *to.mutable_groups());
  if (heads_) heads_->save(*to.mutable_heads());
}

Status PlanBook::restore(const v1::SavedPlans& from) {
  FEDVS_TRY_STATUS(guard_.restore(from.guard()));
  if (from.has_groups()) {
    FEDVS_TRY(auto groups, restored(from.groups(), agreement_.shape.parties));
    FEDVS_TRY_STATUS(accept_groups(std::make_shared<const Groups>(std::move(groups))));
  }
  return heads_ ? heads_->restore(from.heads()) : Status{};
}

// ---- which plans it may accept

void PlanGuard::save(v1::SavedGuard& to) const {
  if (last_) {
    to.mutable_last()->set_revision(last_->revision);
    to.mutable_last()->set_round(last_->round);
  }
  to.set_epoch(epoch_);
  for (std::size_t n = 0; n < released_at_.size(); ++n) {
    if (!released_at_[n]) continue;
    auto& release = *to.add_released();
    release.set_client(static_cast<std::uint32_t>(n));
    release.set_step(*released_at_[n]);
  }
  for (const auto& rows : vector_of_row_) to.add_vector_of_row(std::string(bytes_of(rows)));
  for (const auto& id : vectors_) to.add_vectors(id.data(), id.size());
}

Status PlanGuard::restore(const v1::SavedGuard& from) {
  last_.reset();
  if (from.has_last()) {
    last_.emplace();
    last_->revision = from.last().revision();
    last_->round = from.last().round();
  }
  epoch_ = from.epoch();
  for (const auto& release : from.released()) {
    if (release.client() >= released_at_.size()) {
      return corrupt("a note of plans",
                     fmt::format("names client {} of {}", release.client(), released_at_.size()));
    }
    released_at_[release.client()] = release.step();
  }
  return restore_rows(from);
}

Status PlanGuard::restore_rows(const v1::SavedGuard& from) {
  vectors_.clear();
  for (const auto& id : from.vectors()) {
    FEDVS_TRY_STATUS(copy_exactly("a note of versions", id, vectors_.emplace_back()));
  }
  if (from.vector_of_row_size() != data::kParts) {
    return corrupt("a note of plans", "is of other parts");
  }
  for (int part = 0; part < data::kParts; ++part) {
    auto& rows = vector_of_row_[part];
    FEDVS_TRY(auto read, numbers_of<std::uint32_t>("a note of rows", from.vector_of_row(part)));
    if (read.size() != rows.size()) {
      return corrupt("a note of plans", fmt::format("is of {} coded rows where this job has {}",
                                                    read.size(), rows.size()));
    }
    rows = std::move(read);
    for (const auto place : rows) {
      if (place > vectors_.size()) return corrupt("a note of a row", "names no vector");
    }
  }
  return {};
}

// ---- its chain

void HeadBook::save(v1::SavedHeads& to) const {
  to.set_index(head_.index);
  for (const auto& [index, entry] : recent_) {
    auto& head = *to.add_recent();
    head.set_index(index);
    head.set_link(entry.link.data(), entry.link.size());
    head.set_content(entry.content.data(), entry.content.size());
    if (entry.signature) head.set_signature(entry.signature->data(), entry.signature->size());
  }
}

Status HeadBook::restore(const v1::SavedHeads& from) {
  constexpr std::string_view kNote = "a note of a plan's head";
  std::map<std::uint64_t, Entry> recent;
  for (const auto& head : from.recent()) {
    Entry& entry = recent[head.index()];
    FEDVS_TRY_STATUS(copy_exactly(kNote, head.link(), entry.link));
    FEDVS_TRY_STATUS(copy_exactly(kNote, head.content(), entry.content));
    if (head.signature().empty()) continue;
    FEDVS_TRY_STATUS(copy_exactly(kNote, head.signature(), entry.signature.emplace()));
  }
  const auto last = recent.find(from.index());
  const bool is_of_this_run = last != recent.end() &&
                              (from.index() != 0 || last->second.link == first_link(run_)) &&
                              (from.index() == 0 || last->second.signature.has_value());
  if (!is_of_this_run) return Error{ErrorCode::kCorrupt, "notes of another run's plans"};
  head_ = {.index = from.index(),
           .link = last->second.link,
           .signature = last->second.signature.value_or(Signature{})};
  recent_ = std::move(recent);
  return {};
}

}  // namespace fedvs::protocol
