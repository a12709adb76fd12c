// What a server must know again after a restart: a few kilobytes, before every step. The gradients
// are the archive's; the central model, and the predictions of an evaluation half done, are their
// owner's to keep (Learner).
#include "fedvs/protocol/saved.h"

#include <fmt/format.h>

#include "fedvs/protocol/server/server.h"
#include "fedvs/v1/server_state.pb.h"

namespace fedvs::protocol {
namespace {

constexpr std::string_view kNotes = "the server's notes";

template <class Field>
void put(Field& to, const std::vector<bool>& flags) {
  for (const bool flag : flags) to.Add(flag);
}

// By client, or of nobody.
template <class Field>
Result<std::vector<bool>> flags(const Field& from, int parties) {
  if (from.size() != parties && !from.empty()) return corrupt(kNotes, "are of another job");
  return std::vector<bool>(from.begin(), from.end());
}

}  // namespace

std::string Server::save() const {
  v1::SavedServer to;
  save_course(*to.mutable_course());
  to.set_rate_factor(post_.rate_factor);
  to.set_steps_sent(post_.sent);
  to.set_link(post_.link.data(), post_.link.size());
  policy_.save(*to.mutable_policy());
  save_members(to);
  to.set_signed_plans(settings_.heads != nullptr ? settings_.heads->last() : 0);
  if (waits_.pace.known()) {
    to.mutable_pace()->set_round(waits_.pace.round());
    to.mutable_pace()->set_on_time(waits_.pace.on_time());
  }
  save_plans(to);
  return packed(to);
}

void Server::save_plans(v1::SavedServer& to) const {
  if (open_.is_open) {
    protocol::save(*open_.plan, *to.mutable_open()->mutable_plan());
    put(*to.mutable_open()->mutable_frozen(), open_.frozen);
  }
  if (course_.evaluation) {
    auto& evaluation = *to.mutable_evaluation();
    evaluation.set_part(static_cast<std::uint32_t>(course_.evaluation->part));
    evaluation.set_next(course_.evaluation->next);
    protocol::save(course_.evaluation->versions, *evaluation.mutable_versions());
    put(*evaluation.mutable_frozen(), course_.evaluation->frozen);
  }
  if (!phase_.is(Phase::kDone)) return;
  auto& ending = *to.mutable_ending();
  if (open_.plan) protocol::save(open_.plan->versions, *ending.mutable_versions());
}

Status Server::restore(double now, std::string_view bytes) {
  v1::SavedServer from;
  FEDVS_TRY_STATUS(unpack(kNotes, bytes, from));
  restore_course(from.course());
  post_.rate_factor = from.rate_factor();
  post_.sent = from.steps_sent();
  FEDVS_TRY_STATUS(copy_exactly(kNotes, from.link(), post_.link));
  if (from.has_pace()) waits_.pace.add(from.pace().round(), from.pace().on_time());
  FEDVS_TRY_STATUS(policy_.restore(from.policy()));
  if (policy_.groups_formed()) post_.groups = std::make_shared<const Groups>(policy_.groups());
  FEDVS_TRY_STATUS(restore_members(from));
  FEDVS_TRY_STATUS(restore_heads(from.signed_plans()));
  FEDVS_TRY_STATUS(restore_plans(from));
  phase_.enter(Phase::kReturning);
  waits_.now = now;
  waits_.deadline = now + agreement_.dead_after;
  return restore_ending(from);
}

// A plan is written to the log, then told of in the checkpoint, then sent. What the checkpoint does
// not tell of was sent to nobody: the server died in between, once. Clients that were told of such
// a plan as of one that they missed would refuse the one that takes its place.
Status Server::restore_heads(std::uint64_t plans) {
  constexpr std::uint64_t kUnsent = 1;
  if (settings_.heads == nullptr) return {};
  const std::uint64_t signed_plans = settings_.heads->last();
  if (signed_plans >= plans && signed_plans <= plans + kUnsent) {
    return settings_.heads->forget_after(plans);
  }
  return Error{ErrorCode::kCorrupt,
               fmt::format("the log of signed plans ends at {}, the run has sent {}; restore the "
                           "server's folder whole",
                           signed_plans, plans)};
}

Status Server::restore_plans(const v1::SavedServer& from) {
  const int clients = agreement_.shape.parties;
  open_.is_open = from.has_open();
  if (from.has_open()) {
    FEDVS_TRY(auto plan, restored(agreement_, from.open().plan()));
    open_.plan = std::make_shared<const Plan>(std::move(plan));
    FEDVS_TRY(open_.frozen, flags(from.open().frozen(), clients));
  }
  if (!from.has_evaluation()) return {};
  const auto& evaluation = from.evaluation();
  if (evaluation.part() >= data::kParts) return corrupt(kNotes, "have an evaluation of no part");
  const auto part = static_cast<data::Part>(evaluation.part());
  EvaluationPass pass{.part = part,
                      .chunks = evaluation_chunks(agreement_, part),
                      .next = evaluation.next(),
                      .versions = {},
                      .frozen = {}};
  if (pass.next > pass.chunks.size()) return corrupt(kNotes, "are of an evaluation of more rows");
  FEDVS_TRY(pass.versions, restored(evaluation.versions(), clients));
  FEDVS_TRY(pass.frozen, flags(evaluation.frozen(), clients));
  course_.evaluation = std::move(pass);
  learner_.start(part);
  return {};
}

Status Server::restore_ending(const v1::SavedServer& from) {
  if (!from.has_ending()) return {};
  Plan named;
  if (from.ending().has_versions()) {
    FEDVS_TRY(named.versions, restored(from.ending().versions(), agreement_.shape.parties));
  }
  open_.plan = std::make_shared<const Plan>(std::move(named));
  phase_.enter(Phase::kDone);
  waits_.deadline = kNever;
  return {};
}

}  // namespace fedvs::protocol
