// What a server must know again after a restart: a few kilobytes, before every step. The gradients
// are the archive's; the central model, and the predictions of an evaluation half done, are their
// owner's to keep (Learner).
#include <fmt/format.h>

#include <limits>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {
namespace {

void write_flags(ByteWriter& out, const std::vector<bool>& flags) {
  out.numbers(std::vector<std::uint8_t>(flags.begin(), flags.end()));
}

Result<std::vector<bool>> read_flags(ByteReader& in) {
  FEDVS_TRY(const auto bytes, in.numbers<std::uint8_t>());
  return std::vector<bool>(bytes.begin(), bytes.end());
}

}  // namespace

std::string Server::save() const {
  ByteWriter out;
  out.number(course_.round);
  out.number(course_.revision);
  out.number(post_.rate_factor);
  out.number(course_.schedule.epoch());
  out.number<std::uint64_t>(course_.schedule.taken());
  out.number(course_.finished_epochs);
  out.number(course_.training_ended);
  out.flag(course_.stop_after_epoch);
  out.number(course_.patience.best_loss);
  out.number(course_.patience.without_gain);
  out.number(course_.patience.ended_after);
  out.numbers(members_.each(lateness_of));
  out.number(waits_.pace.known() ? waits_.pace.round() : -1.0);
  out.number(waits_.pace.on_time());
  out.text(policy_.save());
  out.number(post_.sent);
  out.numbers(std::span<const std::uint8_t>(post_.link));
  for (const Member& member : members_) {
    const Incarnation life = member.life.value_or(Incarnation{});
    out.numbers(std::span<const std::uint8_t>(life.bytes));
    out.number(member.saved);
    out.numbers(std::span<const std::uint8_t>(member.sharing.bytes));
    out.numbers(std::span<const std::uint8_t>(member.seeds));
  }
  out.number<std::uint64_t>(settings_.heads != nullptr ? settings_.heads->last() : 0);
  save_plans(out);
  for (const Member& member : members_) member.conduct.save(out);
  out.number(course_.idleness.rounds);
  out.number(course_.idleness.epochs);
  out.flag(course_.idleness.learned_in_epoch);
  out.flag(stands_by() || course_.idleness.stood_by);
  save_ending(out);
  return out.take();
}

void Server::save_plans(ByteWriter& out) const {
  out.flag(open_.is_open);
  if (open_.is_open) {
    write_plan(out, *open_.plan);
    write_flags(out, open_.frozen);
  }
  out.flag(course_.evaluation.has_value());
  if (!course_.evaluation) return;
  out.number(course_.evaluation->part);
  out.number<std::uint64_t>(course_.evaluation->next);
  Plan named;
  named.versions = course_.evaluation->versions;
  write_plan(out, named);
  write_flags(out, course_.evaluation->frozen);
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

Status Server::restore(double now, const std::string& bytes) {
  ByteReader in(bytes);
  FEDVS_TRY(course_.round, in.number<std::uint64_t>());
  FEDVS_TRY(course_.revision, in.number<std::uint64_t>());
  FEDVS_TRY(post_.rate_factor, in.number<double>());
  FEDVS_TRY(const auto epoch, in.number<int>());
  FEDVS_TRY(const auto taken, in.number<std::uint64_t>());
  course_.schedule.restore(epoch, taken);
  FEDVS_TRY(course_.finished_epochs, in.number<int>());
  FEDVS_TRY(course_.training_ended, in.number<double>());
  FEDVS_TRY(course_.stop_after_epoch, in.flag());
  FEDVS_TRY(course_.patience.best_loss, in.number<double>());
  FEDVS_TRY(course_.patience.without_gain, in.number<int>());
  FEDVS_TRY(course_.patience.ended_after, in.number<int>());
  FEDVS_TRY_STATUS(restore_share_times(in));
  FEDVS_TRY(const auto round_took, in.number<double>());
  FEDVS_TRY(const auto upload_took, in.number<double>());
  if (round_took >= 0) waits_.pace.add(round_took, upload_took);
  FEDVS_TRY(const auto policy, in.text());
  ByteReader policy_in(policy);
  FEDVS_TRY_STATUS(policy_.restore(policy_in));
  if (policy_.groups_formed()) post_.groups = std::make_shared<const Groups>(policy_.groups());
  FEDVS_TRY_STATUS(restore_clients(in));
  FEDVS_TRY(const auto plans, in.number<std::uint64_t>());
  FEDVS_TRY_STATUS(restore_heads(plans));
  FEDVS_TRY_STATUS(restore_plans(in));
  FEDVS_TRY_STATUS(restore_conduct(in));
  phase_.enter(Phase::kReturning);
  waits_.now = now;
  waits_.deadline = now + agreement_.dead_after;
  FEDVS_TRY_STATUS(restore_ending(in));
  return in.finish();
}

Status Server::restore_clients(ByteReader& in) {
  FEDVS_TRY(post_.sent, in.number<StepNumber>());
  FEDVS_TRY_STATUS(read_exactly(in, post_.link));
  for (Member& member : members_) {
    member.life.emplace();
    FEDVS_TRY_STATUS(read_exactly(in, member.life->bytes));
    FEDVS_TRY(member.saved, in.number<StepNumber>());
    FEDVS_TRY_STATUS(read_exactly(in, member.sharing.bytes));
    FEDVS_TRY_STATUS(read_exactly(in, member.seeds));
  }
  return {};
}

Status Server::restore_share_times(ByteReader& in) {
  FEDVS_TRY(const auto lateness, in.numbers<double>());
  if (lateness.size() != parties(agreement_)) {
    return Error{ErrorCode::kCorrupt, "the server's notes are of another job"};
  }
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    members_[n].share_times.lateness = lateness[static_cast<std::size_t>(n)];
  }
  return {};
}

Status Server::restore_plans(ByteReader& in) {
  FEDVS_TRY(open_.is_open, in.flag());
  if (open_.is_open) {
    FEDVS_TRY(auto plan, read_plan(in));
    open_.plan = std::make_shared<const Plan>(std::move(plan));
    FEDVS_TRY(open_.frozen, read_flags(in));
  }
  FEDVS_TRY(const bool evaluating, in.flag());
  if (!evaluating) return {};
  FEDVS_TRY(const auto part, in.number<data::Part>());
  if (static_cast<unsigned>(part) >= data::kParts) {
    return Error{ErrorCode::kCorrupt, "an evaluation of no part"};
  }
  course_.evaluation = EvaluationPass{
      .part = part, .chunks = evaluation_chunks(agreement_, part), .versions = {}, .frozen = {}};
  FEDVS_TRY(const auto next, in.number<std::uint64_t>());
  course_.evaluation->next = next;
  FEDVS_TRY(auto named, read_plan(in));
  course_.evaluation->versions = std::move(named.versions);
  FEDVS_TRY(course_.evaluation->frozen, read_flags(in));
  learner_.start(part);
  return {};
}

}  // namespace fedvs::protocol
