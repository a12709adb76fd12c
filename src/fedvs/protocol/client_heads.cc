// A client compares the plans that it is shown with what the others were shown.
//   Step       its plan extends the chain, or is refused; then who was not told lately is told
//   MissedPlan made while it was away: judged and remembered like one that it accepts, but not
//              answered. Were it known by its header only, the server could show each plan to some
//              clients and have the others miss it: one chain, and nobody who knows all of it
//   Echo       agreement, which it may have waited for; or proof that the server signed two chains
#include <fmt/format.h>

#include "fedvs/protocol/client.h"
#include "fedvs/protocol/plan_content.h"

namespace fedvs::protocol {
namespace {

constexpr std::size_t kEchoBytes = 128;

}  // namespace

// Groups that were told apart from plans are in no header: a plan that leaves them out could hide
// that others were told other ones.
Status Client::check_head(const Step& step, const Digest& header) const {
  if (!heads_) return {};
  if (!step.head) return Error{ErrorCode::kRefused, "a plan that the server has not signed"};
  if (groups_ && !step.groups) {
    return Error{ErrorCode::kRefused, "a plan without the groups that were told before"};
  }
  return heads_->check_next(*step.head, header);
}

void Client::take_head(const Step& step, const Digest& header, Tasks& tasks) {
  if (!heads_) return;
  heads_->take_next(*step.head, header);
  if (stop_if_proven(tasks)) return;
  say(heads_->after_plan(step.share[static_cast<std::size_t>(number_)]), tasks);
}

Tasks Client::on(const MissedPlan& missed) {
  if (!heads_ || !may_train()) return {};
  const bool first_groups = missed.step.groups && !groups_;
  const auto taken = take_missed(missed.step);
  if (!taken && first_groups) forget_groups();
  if (!taken) return one(break_off(taken.error().message, missed.step.plan->revision));
  Tasks tasks;
  // Others may be waiting for its word, and it will need theirs.
  if (!stop_if_proven(tasks) && !missed.more) say(HeadBook::Say::kAsk, tasks);
  return tasks;
}

// Unlike a plan that it is to answer, one of the warm-up may come after the groups were told.
Status Client::take_missed(const Step& step) {
  if (!step.head) return Error{ErrorCode::kRefused, "a missed plan that the server has not signed"};
  const Digest header = content_of(step, facts());
  FEDVS_TRY_STATUS(heads_->check_next(*step.head, header));
  if (step.groups) {
    FEDVS_TRY_STATUS(guard_.accept_groups(*step.groups));
    note_groups(step.groups);
  }
  FEDVS_TRY_STATUS(guard_.accept(*step.plan, {step.frozen, step.released}));
  plan_.reset();  // an upload that has not left yet does not: this plan came after it
  move_on(doing::SeesPlan{.to_train_on = false});
  heads_->take_next(*step.head, header);
  return {};
}

Tasks Client::on(const Echo& echo) {
  Tasks tasks;
  hear(echo.from, echo.head, echo.kind != Echo::Kind::kWarn, tasks);
  if (!heads_ || broken_off() || echo.kind != Echo::Kind::kAsk || echo.from == number_) return tasks;
  if (heads_->must_answer(echo.from, echo.head.index)) {
    echo_to(echo.from, heads_->head(), Echo::Kind::kTell, tasks);
  }
  return tasks;
}

void Client::hear(int from, const SignedHead& head, bool counts, Tasks& tasks) {
  if (!heads_) return;
  heads_->hear(from, head, counts);
  if (!stop_if_proven(tasks)) append(tasks, upload_if_ready());
}

// After its welcome: what was on its way to or from its last life is lost.
void Client::begin_telling(Tasks& tasks) {
  if (!heads_) return;
  for (int n = 0; n < agreement_.shape.parties; ++n) heads_->lives_anew(n);
  if (training()) say(HeadBook::Say::kAsk, tasks);
}

void Client::say(HeadBook::Say what, Tasks& tasks) {
  if (what == HeadBook::Say::kNothing) return;
  const bool asks = what == HeadBook::Say::kAsk;
  heads_->told_all(/*promptly=*/true);
  echo_to_all(heads_->head(), asks ? Echo::Kind::kAsk : Echo::Kind::kTell, tasks);
}

void Client::echo_to_all(const SignedHead& head, Echo::Kind kind, Tasks& tasks) const {
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    if (to != number_) echo_to(to, head, kind, tasks);
  }
}

void Client::echo_to(int to, const SignedHead& head, Echo::Kind kind, Tasks& tasks) const {
  tasks.push_back(send_now(
      outgoing(to, Channel::kControl, kEchoBytes, make_message(Echo{number_, head, kind}))));
}

// Whoever gets both heads through has the proof too, whichever of the chains is its own.
bool Client::stop_if_proven(Tasks& tasks) {
  for (const int liar : heads_->take_liars()) {
    append(tasks, complain(liar, "its word of a plan that the server has not signed"));
  }
  if (!heads_->proof()) return false;
  const Equivocation& proof = *heads_->proof();
  for (const auto* head : {&proof.own, &proof.other}) {
    echo_to_all(*head, Echo::Kind::kWarn, tasks);
  }
  tasks.push_back(break_off(
      fmt::format("the server has signed two different plans {} of this run: it showed {} another "
                  "than this client",
                  proof.other.index, agreement_.name(proof.heard_from))));
  return true;
}

Task Client::break_off(std::string reason, std::uint64_t revision) {
  move_on(doing::BreaksOff{
      .reason = reason, .revision = revision, .proof = heads_ ? heads_->proof() : std::nullopt});
  plan_.reset();  // an upload that has not left yet does not
  return refuse(std::move(reason), revision);
}

}  // namespace fedvs::protocol
