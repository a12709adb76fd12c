#include "fedvs/protocol/server/server.h"

#include <fmt/format.h>

#include <utility>

#include "fedvs/protocol/message_form.h"
#include "fedvs/protocol/sender.h"

namespace fedvs::protocol {

Server::Server(const Agreement& agreement, const coding::LagrangeCode& code, Learner& learner,
               SecretSource& secrets, Observer& observer, ServerSettings settings)
    : Returns(agreement, code, secrets, observer, std::move(settings)),
      learner_(learner),
      sharing_(agreement) {}

Tasks Server::receive(double now, const MessagePtr& message) {
  waits_.now = now;
  if (!phase_.status()) return {};
  const int from = sender_of(*message);
  if (from < 0 || from >= agreement_.shape.parties) return {};
  if (const auto form = check_form(agreement_, *message); !form) {
    return fault(now, from, form.error().message);
  }
  const bool hello = std::holds_alternative<Hello>(*message);
  if (members_[from].conduct.quarantined && !hello) return {};
  // While all are gathered a hello makes no work for others.
  if (settings_.archive != nullptr && !phase_.is(Phase::kGathering)) {
    const bool again = hello && members_[from].presence.here();
    if (again && !gates_.returns.pass(now, from, message)) return {};
    // An upload that nobody waits for tells what a report does.
    const auto* upload = std::get_if<Upload>(message.get());
    const bool report = std::holds_alternative<Report>(*message) ||
                        (upload != nullptr && !open_.box.is_open(upload->revision));
    if (report && !gates_.reports.pass(now, from, message)) return {};
  }
  return take(now, message);
}

Tasks Server::take(double now, const MessagePtr& message) {
  if (phase_.is(Phase::kDone)) return receive_late(now, *message);
  // Where rows are fetched clients are asked all the time how far they are; where they are pushed,
  // when nothing comes any more.
  const bool pushed = phase_.is(Phase::kPreparing) && settings_.archive == nullptr;
  if (phase_.is(Phase::kGathering) || pushed) waits_.deadline = now + agreement_.dead_after;
  if (std::holds_alternative<Upload>(*message)) return take_upload(now, message);
  return std::visit([&](const auto& m) { return on(now, m); }, *message);
}

Tasks Server::on(double now, const Report& report) {
  Tasks tasks = declare_alive(now, report.from);
  note_agreeing(report);
  note_holdings(now, report.from, report.holdings);
  append(tasks, redeem(now));
  append(tasks, after_report(now, report));
  return tasks;
}

// With one that did not count before, all that it holds counts anew, not only what is new.
void Server::note_holdings(double now, int client, const Holdings& holdings) {
  const bool counted = board_.answers(client);
  board_.update(client, holdings, now);
  if (phase_.is(Phase::kPreparing)) sharing_.update(client, holdings, now);
  note_saved(client, holdings.saved);
  policy_.update(now, counted ? std::optional(client) : std::nullopt);
  members_[client].reported = true;
}

Tasks Server::after_report(double now, const Report& report) {
  if (phase_.is(Phase::kPreparing)) return board_.data_complete() ? begin(now) : Tasks{};
  if (phase_.is(Phase::kReturning)) return {};
  if (phase_.is(Phase::kStandingBy) && may_go_on()) return train_on(now);
  if (members_[report.from].presence.is_behind()) {
    Tasks tasks = catch_up(now, report.from);
    if (phase_.status() && !members_[report.from].presence.is_behind()) {
      append(tasks, revise_for_returned(now));
    }
    return tasks;
  }
  note_warmup_share_times(now, report.from);
  if (phase_.is(Phase::kCollecting) &&
      (policy_.all_fresh(course_.round) ||
       (waits_.reports_requested && policy_.any_fresh(course_.round)))) {
    return issue_training_plan(now, VersionPolicy::Choice::kNormal);
  }
  note_able(report.from, now);
  if (holders_settled(now)) return open_now();
  if (phase_.is(Phase::kWaiting) && waits_.reports_requested) return revise(now);
  return {};
}

// When enough clients could upload: only the news of one that can itself may bring it about.
void Server::note_able(int client, double now) {
  if (!phase_.is(Phase::kWaiting) || open_.able.runs() || !roll().may_upload(client)) return;
  if (roll().uploads_possible() >= agreement_.uploads_needed()) open_.able.start(now);
}

// A share counts as come when R clients hold it, which a report can only change by what its sender
// holds.
void Server::note_warmup_share_times(double now, int reporter) {
  if (policy_.groups_formed()) return;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    ModelShares& times = members_[n].model_shares;
    const std::span<const int> sender(&n, 1);
    if (times.noted || !board_.holds_all(reporter, sender, course_.round)) continue;
    if (board_.holders(sender, course_.round) < agreement_.uploads_needed()) continue;
    times.noted = true;
    times.lateness += now - open_.started;
  }
}

void Server::note_agreeing(const Report& report) {
  members_[report.from].plan.agreeing = report.agreeing;
  if (!report.agreeing || std::exchange(open_.said_heads, true)) return;
  observer_.on_note(fmt::format(
      "round {}: {} is waiting for heads: {} of {} clients say that they "
      "were shown the same plans",
      course_.round, agreement_.name(report.from), *report.agreeing, agreement_.shape.quorum()));
}

Tasks Server::take_upload(double now, const MessagePtr& message) {
  const auto& upload = std::get<Upload>(*message);
  if (upload.revision >= course_.revision) {
    return fault(now, upload.from,
                 fmt::format("{} uploaded for revision {}, which nobody has sent",
                             agreement_.name(upload.from), upload.revision));
  }
  members_[upload.from].plan.agreeing.reset();
  Tasks tasks = declare_alive(now, upload.from);
  note_holdings(now, upload.from, upload.holdings);
  note_able(upload.from, now);
  open_.box.keep_late(message);
  const auto added = open_.box.add(message);
  // One that is late is nobody's fault; one that fits the open plan and is wrong is.
  if (!added && open_.box.is_open(upload.revision)) {
    append(tasks, fault(now, upload.from, added.error().message));
  }
  append(tasks, redeem(now));
  if (!added || !phase_.is(Phase::kWaiting) || !phase_.status()) return tasks;
  note_upload_of(now, upload.from);
  open_.able.start_if_stopped(now);
  if (enough_uploads()) append(tasks, open_if_held(now));
  return tasks;
}

}  // namespace fedvs::protocol
