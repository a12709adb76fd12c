// Who comes, comes back, or does not. A client that comes back lives under a new incarnation; the
// models that it shared before still count. It gets the gradients that it missed and takes part
// from the next plan on. A server that comes back sends the open plan anew.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {
namespace {

constexpr int kGradientsAhead = 32;  // sent to a client that is behind before it reports again

}  // namespace

Status Server::check_return(const Hello& hello) const {
  const auto refused = [&](std::string reason) {
    return Error{ErrorCode::kRefused, std::move(reason)};
  };
  if (settings_.archive == nullptr) return refused("nobody can come back to this run");
  if (hello.sharing != members_[hello.from].sharing) {
    return refused(
        fmt::format("{} has shared its rows anew, and others hold those of before: restore its "
                    "folder and its file of this run",
                    agreement_.name(hello.from)));
  }
  if (hello.step > steps_sent()) {
    return refused(
        fmt::format("{} has applied {} gradients, this server has sent {}: the "
                    "server's folder is older than the run; restore the newest",
                    agreement_.name(hello.from), hello.step, steps_sent()));
  }
  if (misses_forgotten_plans(hello.head ? hello.head->index : 0)) {
    return forgotten_plans(hello.from, hello.head ? hello.head->index : 0);
  }
  Digest link = post_.link;
  if (hello.step < steps_sent()) {
    const auto kept = settings_.archive->read(hello.step);
    if (!kept) return too_far_behind(hello.from, hello.step);
    link = kept->before;
  }
  if (hello.chain != link) {
    return refused(
        fmt::format("{}'s first {} gradients are not those of this run: a forked "
                    "chain; restore its folder of this run",
                    agreement_.name(hello.from), hello.step));
  }
  return {};
}

Tasks Server::farewell(int client, Ending ending, std::string reason) {
  note_about(waits_.now, client, reason);
  const std::size_t bytes = reason.size();
  Tasks tasks;
  tasks.push_back(send_now(
      outgoing(client, Lane::kControl, bytes, make_message(Farewell{ending, std::move(reason)}))));
  return tasks;
}

// It may come again with another folder; until then nothing is expected of it.
Tasks Server::send_away(int client, std::string reason) {
  members_[client].presence.send_away();
  board_.lose(client);
  hasten(waits_.now);
  return farewell(client, Ending::kRefused, std::move(reason));
}

Tasks Server::welcome_back(double now, const Hello& hello) {
  if (const auto checked = check_return(hello); !checked) {
    return send_away(hello.from, checked.error().message);
  }
  observer_.on_note(fmt::format("{} is back in round {}, {} gradients behind",
                                agreement_.name(hello.from), course_.round,
                                course_.round - hello.step));
  meet(hello);
  policy_.meet(welcome());
  board_.declare_alive(hello.from);
  hope(now);
  members_[hello.from].presence.come_behind(hello.step);
  Tasks tasks = to_all(make_message(welcome()), welcome_bytes());
  append(tasks, catch_up(now, hello.from));
  return tasks;
}

std::vector<std::optional<StepNumber>> Server::named_steps() const {
  if (!training_started()) return {};
  const bool planned = open_.plan && (open_.is_open || phase_.is(Phase::kDone));
  const auto versions = course_.evaluation ? course_.evaluation->versions
                        : planned          ? open_.plan->versions
                                  : policy_.name(course_.round, VersionPolicy::Choice::kOnlyHeld);
  std::vector<std::optional<StepNumber>> steps;
  for (const auto& version : versions) {
    steps.push_back(version ? std::optional(version->step) : std::nullopt);
  }
  return steps;
}

// A few gradients at a time, so that they never fill a queue; then its group shares anew.
Tasks Server::catch_up(double now, int client) {
  auto& presence = members_[client].presence;
  hope(now);  // it moves, and its gradients have an end
  Tasks tasks = send_missed_gradients(client);
  if (!phase_.status() || !presence.is_behind()) return tasks;
  if (presence.next() < steps_sent() || untold_plans(client)) return tasks;
  presence.catch_up();
  if (phase_.is(Phase::kDone)) {
    append(tasks, farewell(client, Ending::kFinished,
                           fmt::format("the run has finished; {} has fetched what it missed",
                                       agreement_.name(client))));
  } else {
    auto share = policy_.returned(client, course_.round, now);
    ask_withholding(now, share);
    append(tasks, ask_to_share(share));
  }
  return tasks;
}

Tasks Server::send_missed_gradients(int client) {
  StepNumber& next = members_[client].presence.next();
  Tasks tasks;
  const StepNumber sent = steps_sent();
  for (int i = 0; i < kGradientsAhead && next < sent; ++i) {
    const auto missed = settings_.archive->read(next);
    if (!missed) return leave_behind(client, too_far_behind(client, next));
    ++next;
    const std::vector<bool> none = nobody();
    tasks.push_back(send_now(outgoing(client, Lane::kControl, missed->gradient->values().size() * 4,
                                      make_message(Step{.gradient = missed->gradient,
                                                        .share = none,
                                                        .plan = {},
                                                        .groups = post_.groups,
                                                        .frozen = none,
                                                        .released = none,
                                                        .rate_factor = missed->rate_factor}))));
  }
  const std::uint64_t told = members_[client].told_plans;
  if (misses_forgotten_plans(told)) return leave_behind(client, forgotten_plans(client, told));
  if (const auto is_told = tell_missed(client, tasks); !is_told) {
    return leave_behind(client, is_told.error());
  }
  if (next < sent || untold_plans(client)) {
    tasks.push_back(send_now(outgoing(client, Lane::kControl, 8, make_message(ReportRequest{}))));
  }
  return tasks;
}

// Without a plan: of the step that the clients are at.
Tasks Server::ask_to_share(const std::vector<bool>& share) {
  Step step{.gradient = {},
            .share = share,
            .plan = {},
            .groups = post_.groups,
            .frozen = policy_.frozen(),
            .released = policy_.released()};
  const auto message = make_message(std::move(step));
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!share[static_cast<std::size_t>(n)] || members_[n].presence.is_behind()) continue;
    tasks.push_back(send_now(outgoing(n, Lane::kControl, 8 * share.size(), message)));
  }
  return tasks;
}

// It was slow, or stopped for a while, and has lost nothing.
Tasks Server::declare_alive(double now, int client) {
  if (!board_.dead(client) || !members_[client].presence.here()) return {};
  observer_.on_note(
      fmt::format("{} answers again in round {}", agreement_.name(client), course_.round));
  board_.declare_alive(client);
  hope(now);
  return ask_to_share(policy_.returned(client, course_.round, now));
}

void Server::note_saved(int client, StepNumber step) {
  auto& saved = members_[client].saved;
  if (settings_.archive == nullptr || step <= saved) return;
  saved = std::min(step, steps_sent());
  members_[client].cannot_catch_up = false;
  forget_old_gradients();
}

// Those that nobody needs who may come back. For one that stays away they are not kept for ever:
// then it cannot catch up any more, and its group stands still.
void Server::forget_old_gradients() {
  const auto most = static_cast<StepNumber>(settings_.max_catch_up);
  const StepNumber kept =
      std::max(post_.sent - std::min(post_.sent, most), settings_.archive->oldest_that_fits());
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    Member& member = members_[n];
    if (member.saved >= kept || member.cannot_catch_up || board_.answers(n)) continue;
    member.cannot_catch_up = true;
    observer_.on_note(
        fmt::format("{} is away and was last known to have saved step {}: it cannot catch up "
                    "any more from there (protocol.max_catch_up = {} rounds, or the log is full)",
                    agreement_.name(n), member.saved, most));
  }
  const StepNumber saved_by_all = std::ranges::min(members_.each(&Member::saved));
  settings_.archive->forget_before(std::max(saved_by_all, kept));
}

Error Server::too_far_behind(int client, StepNumber step) const {
  return {ErrorCode::kRefused,
          fmt::format("{} comes back at step {} of {}, and gradients before step {} are not kept "
                      "any more (protocol.max_catch_up = {} rounds): it cannot catch up, and its "
                      "group's models stand still until the run ends; start it with a newer copy "
                      "of its folder state, or for the next run",
                      agreement_.name(client), step, post_.sent, settings_.archive->oldest(),
                      settings_.max_catch_up)};
}

// While it was catching up: the others were faster, or what it misses next cannot be read.
Tasks Server::leave_behind(int client, const Error& why) {
  members_[client].presence.leave();
  board_.lose(client);
  if (!board_.dead(client)) declare_dead(client, "it is too far behind");
  return farewell(client, Ending::kRefused, why.message);
}

}  // namespace fedvs::protocol
