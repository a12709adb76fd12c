// What a server must know again after a restart: a few kilobytes, before every step. The gradients
// are the archive's; the central model, and the predictions of an evaluation half done, are their
// owner's to keep (Learner).
#include <fmt/format.h>

#include <limits>

#include "fedvs/protocol/server.h"

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
  out.number(round_);
  out.number(revision_);
  out.number(rate_factor_);
  out.number(schedule_.epoch());
  out.number<std::uint64_t>(schedule_.taken());
  out.number(finished_epochs_);
  out.number(training_ended_);
  out.flag(stop_requested_);
  out.number(best_validation_loss_);
  out.number(without_gain_);
  out.number(patience_ended_);
  out.numbers(share_lateness_);
  out.number(pace_.known() ? pace_.round() : -1.0);
  out.number(pace_.on_time());
  out.text(policy_.save());
  out.number(sent_);
  out.numbers(std::span<const std::uint8_t>(link_));
  for (std::size_t n = 0; n < hellos_.size(); ++n) {
    const Incarnation life = hellos_[n].value_or(Incarnation{});
    out.numbers(std::span<const std::uint8_t>(life.bytes));
    out.number(uploaded_below_[n]);
    out.number(saved_[n]);
    out.numbers(std::span<const std::uint8_t>(sharings_[n].bytes));
    out.numbers(std::span<const std::uint8_t>(seeds_[n]));
  }
  out.number<std::uint64_t>(settings_.heads != nullptr ? settings_.heads->last() : 0);
  save_plans(out);
  for (const auto& conduct : conduct_) conduct.save(out);
  out.number(idle_rounds_);
  out.number(idle_epochs_);
  out.flag(learned_in_epoch_);
  out.flag(stands_by() || stood_by_);
  save_ending(out);
  return out.take();
}

void Server::save_plans(ByteWriter& out) const {
  out.flag(plan_open_);
  if (plan_open_) {
    write_plan(out, *plan_);
    write_flags(out, plan_frozen_);
  }
  out.flag(evaluation_.has_value());
  if (!evaluation_) return;
  out.number(evaluation_->part);
  out.number<std::uint64_t>(evaluation_->next);
  Plan named;
  named.versions = evaluation_->versions;
  write_plan(out, named);
  write_flags(out, evaluation_->frozen);
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
  FEDVS_TRY(round_, in.number<std::uint64_t>());
  FEDVS_TRY(revision_, in.number<std::uint64_t>());
  FEDVS_TRY(rate_factor_, in.number<double>());
  FEDVS_TRY(const auto epoch, in.number<int>());
  FEDVS_TRY(const auto taken, in.number<std::uint64_t>());
  schedule_.restore(epoch, taken);
  FEDVS_TRY(finished_epochs_, in.number<int>());
  FEDVS_TRY(training_ended_, in.number<double>());
  FEDVS_TRY(stop_requested_, in.flag());
  FEDVS_TRY(best_validation_loss_, in.number<double>());
  FEDVS_TRY(without_gain_, in.number<int>());
  FEDVS_TRY(patience_ended_, in.number<int>());
  FEDVS_TRY(share_lateness_, in.numbers<double>());
  FEDVS_TRY(const auto round_took, in.number<double>());
  FEDVS_TRY(const auto upload_took, in.number<double>());
  if (round_took >= 0) pace_.add(round_took, upload_took);
  FEDVS_TRY(const auto policy, in.text());
  ByteReader policy_in(policy);
  FEDVS_TRY_STATUS(policy_.restore(policy_in));
  if (policy_.groups_formed()) groups_ = std::make_shared<const Groups>(policy_.groups());
  FEDVS_TRY_STATUS(restore_clients(in));
  FEDVS_TRY(const auto plans, in.number<std::uint64_t>());
  FEDVS_TRY_STATUS(restore_heads(plans));
  FEDVS_TRY_STATUS(restore_plans(in));
  FEDVS_TRY_STATUS(restore_conduct(in));
  phase_ = Phase::kReturning;
  now_ = now;
  deadline_ = now + agreement_.dead_after;
  FEDVS_TRY_STATUS(restore_ending(in));
  return in.finish();
}

Status Server::restore_clients(ByteReader& in) {
  FEDVS_TRY(sent_, in.number<StepNumber>());
  FEDVS_TRY_STATUS(read_exactly(in, link_));
  if (share_lateness_.size() != hellos_.size()) {
    return Error{ErrorCode::kCorrupt, "the server's notes are of another job"};
  }
  for (std::size_t n = 0; n < hellos_.size(); ++n) {
    hellos_[n].emplace();
    FEDVS_TRY_STATUS(read_exactly(in, hellos_[n]->bytes));
    FEDVS_TRY(uploaded_below_[n], in.number<std::uint64_t>());
    FEDVS_TRY(saved_[n], in.number<StepNumber>());
    FEDVS_TRY_STATUS(read_exactly(in, sharings_[n].bytes));
    FEDVS_TRY_STATUS(read_exactly(in, seeds_[n]));
  }
  return {};
}

Status Server::restore_plans(ByteReader& in) {
  FEDVS_TRY(plan_open_, in.flag());
  if (plan_open_) {
    FEDVS_TRY(auto plan, read_plan(in));
    plan_ = std::make_shared<const Plan>(std::move(plan));
    FEDVS_TRY(plan_frozen_, read_flags(in));
  }
  FEDVS_TRY(const bool evaluating, in.flag());
  if (!evaluating) return {};
  FEDVS_TRY(const auto part, in.number<data::Part>());
  if (static_cast<unsigned>(part) >= data::kParts) {
    return Error{ErrorCode::kCorrupt, "an evaluation of no part"};
  }
  evaluation_ = Evaluation{
      .part = part, .chunks = evaluation_chunks(agreement_, part), .versions = {}, .frozen = {}};
  FEDVS_TRY(const auto next, in.number<std::uint64_t>());
  evaluation_->next = next;
  FEDVS_TRY(auto named, read_plan(in));
  evaluation_->versions = std::move(named.versions);
  FEDVS_TRY(evaluation_->frozen, read_flags(in));
  learner_.start(part);
  return {};
}

}  // namespace fedvs::protocol
