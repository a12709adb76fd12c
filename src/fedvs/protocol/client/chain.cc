// A client compares the plans that it is shown with what the others were shown.
//   Step       its plan extends the chain, or is refused; then who was not told lately is told
//   MissedPlan made while it was away: judged and remembered like one that it accepts, but not
//              answered. Were it known by its content only, the server could show each plan to some
//              clients and have the others miss it: one chain, and nobody who knows all of it
//   Echo       agreement, which it may have waited for; or proof that the server signed two chains
#include <fmt/format.h>

#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/plan_content.h"

namespace fedvs::protocol {
namespace {

constexpr std::size_t kEchoBytes = 128;

}  // namespace

void Client::take_head(const Step& step, const Digest& content, Tasks& tasks) {
  if (!plans_.heads()) return;
  plans_.heads()->take_next(*step.head, content);
  if (stop_if_proven(tasks)) return;
  say(plans_.heads()->after_plan(of_client(step.share, number_)), tasks);
}

Tasks Client::on(const MissedPlan& missed) {
  if (!plans_.heads() || !may_train()) return {};
  const bool first_groups = missed.step.groups && !groups();
  const auto taken = plans_.accept_missed(missed.step, content_of(missed.step, facts()));
  if (!taken && first_groups) plans_.forget_groups();
  if (!taken) return one(break_off(taken.error().message, missed.step.plan->revision));
  move_on(doing::SeesPlan{.to_train_on = false});
  Tasks tasks;
  // Others may be waiting for its word, and it will need theirs.
  if (!stop_if_proven(tasks) && !missed.more) say(HeadBook::Say::kAsk, tasks);
  return tasks;
}

Tasks Client::on(const Echo& echo) {
  Tasks tasks;
  hear(echo.from, echo.head, echo.kind != Echo::Kind::kWarn, tasks);
  if (!plans_.heads() || broken_off() || echo.kind != Echo::Kind::kAsk || echo.from == number_)
    return tasks;
  if (plans_.heads()->must_answer(echo.from, echo.head.index)) {
    echo_to(echo.from, plans_.heads()->head(), Echo::Kind::kTell, tasks);
  }
  return tasks;
}

void Client::hear(int from, const SignedHead& head, bool counts, Tasks& tasks) {
  if (!plans_.heads()) return;
  plans_.heads()->hear(from, head, counts);
  if (!stop_if_proven(tasks)) append(tasks, upload_if_ready());
}

// After its welcome: what was on its way to or from its last life is lost.
void Client::begin_telling(Tasks& tasks) {
  if (!plans_.heads()) return;
  for (int n = 0; n < agreement_.shape.parties; ++n) plans_.heads()->lives_anew(n);
  if (training()) say(HeadBook::Say::kAsk, tasks);
}

void Client::say(HeadBook::Say what, Tasks& tasks) {
  if (what == HeadBook::Say::kNothing) return;
  const bool asks = what == HeadBook::Say::kAsk;
  plans_.heads()->told_all(/*promptly=*/true);
  echo_to_all(plans_.heads()->head(), asks ? Echo::Kind::kAsk : Echo::Kind::kTell, tasks);
}

void Client::echo_to_all(const SignedHead& head, Echo::Kind kind, Tasks& tasks) const {
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    if (to != number_) echo_to(to, head, kind, tasks);
  }
}

void Client::echo_to(int to, const SignedHead& head, Echo::Kind kind, Tasks& tasks) const {
  tasks.push_back(
      send_now(outgoing(to, Lane::kControl, kEchoBytes, make_message(Echo{number_, head, kind}))));
}

// Whoever gets both heads through has the proof too, whichever of the chains is its own.
bool Client::stop_if_proven(Tasks& tasks) {
  for (const int liar : plans_.heads()->take_liars()) {
    append(tasks, complain(liar, "its word of a plan that the server has not signed"));
  }
  if (!plans_.heads()->proof()) return false;
  const Equivocation& proof = *plans_.heads()->proof();
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
  move_on(doing::BreaksOff{.reason = reason,
                           .revision = revision,
                           .proof = plans_.heads() ? plans_.heads()->proof() : std::nullopt});
  plans_.open().withdraw();  // an upload that has not left yet does not
  return refuse(std::move(reason), revision);
}

}  // namespace fedvs::protocol
