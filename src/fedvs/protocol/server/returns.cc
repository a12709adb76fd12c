#include "fedvs/protocol/server/returns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fedvs::protocol {
namespace {

constexpr int kGradientsAhead = 32;  // sent to a client that is behind before it reports again

}  // namespace

Returns::Returns(const Agreement& agreement, const coding::LagrangeCode& code,
                 SecretSource& secrets, Observer& observer, ServerSettings settings)
    : Attendance(agreement, code, observer, std::move(settings)),
      incarnation_(Incarnation::draw(secrets, kServer)) {}

// ---- hellos

Welcome Returns::welcome() const {
  Welcome welcome{.server = incarnation_,
                  .clients = {},
                  .training = training_started(),
                  .sharings = members_.each(&Member::sharing),
                  .seeds = members_.each(&Member::seeds),
                  .named = named_steps()};
  for (const Member& member : members_) {
    welcome.clients.push_back(member.life.value_or(Incarnation{}));
  }
  const auto is_signed = [](const Member& member) { return !member.card.signature.empty(); };
  if (std::ranges::any_of(members_, is_signed)) welcome.cards = members_.each(&Member::card);
  return welcome;
}

std::vector<std::optional<StepNumber>> Returns::named_steps() const {
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

void Returns::meet(const Hello& hello) {
  Member& member = members_[hello.from];
  board_.seen(hello.from, waits_.now);
  member.life = hello.incarnation;
  member.card = hello.card;
  member.sharing = hello.sharing;
  if (!training_started())
    member.seeds = hello.seeds;  // later: the run's stay, whoever lost its own
  member.bound_groups = hello.groups;
  member.presence.come();
  member.claim.reset();
  pardon(hello.from);
  member.told_plans = hello.head ? hello.head->index : 0;
  member.plan.agreeing.reset();
  member.plan.sent = false;
  board_.meet(hello.from, hello.incarnation);
}

Status Returns::check_return(const Hello& hello) {
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
  FEDVS_TRY_STATUS(chain().check_kept(hello.from, hello.head ? hello.head->index : 0));
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

Tasks Returns::welcome_back(double now, const Hello& hello) {
  if (const auto checked = check_return(hello); !checked) {
    return send_away(hello.from, checked.error().message);
  }
  observer_.on_note(fmt::format("{} is back in round {}, {} gradients behind",
                                agreement_.name(hello.from), course_.round,
                                course_.round - hello.step));
  meet(hello);
  policy_.meet(welcome());
  board_.declare_alive(hello.from);
  waits_.hope(now);
  members_[hello.from].presence.come_behind(hello.step);
  Tasks tasks = to_all(make_message(welcome()), welcome_bytes());
  append(tasks, catch_up(now, hello.from));
  return tasks;
}

// To it alone: for the others the run is over.
Tasks Returns::welcome_late(double now, const Hello& hello) {
  if (const auto checked = check_return(hello); !checked) {
    return farewell(hello.from, Ending::kRefused, checked.error().message);
  }
  meet(hello);
  members_[hello.from].presence.come_behind(hello.step);
  Tasks tasks;
  tasks.push_back(
      send_now(outgoing(hello.from, Lane::kControl, welcome_bytes(), make_message(welcome()))));
  append(tasks, catch_up(now, hello.from));
  return tasks;
}

// ---- what it missed

// A few gradients at a time, so that they never fill a queue; then its group shares anew.
Tasks Returns::catch_up(double now, int client) {
  auto& presence = members_[client].presence;
  waits_.hope(now);  // it moves, and its gradients have an end
  Tasks tasks = send_missed(client);
  if (!phase_.status() || !presence.is_behind()) return tasks;
  if (presence.next() < steps_sent() || chain().has_untold(client)) return tasks;
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

Tasks Returns::send_missed(int client) {
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
  Status told = chain().check_kept(client, members_[client].told_plans);
  if (told) told = chain().tell_some(client, tasks);
  if (!told) return leave_behind(client, told.error());
  if (next < sent || chain().has_untold(client)) {
    tasks.push_back(send_now(outgoing(client, Lane::kControl, 8, make_message(ReportRequest{}))));
  }
  return tasks;
}

Error Returns::too_far_behind(int client, StepNumber step) const {
  return {ErrorCode::kRefused,
          fmt::format("{} comes back at step {} of {}, and gradients before step {} are not kept "
                      "any more (protocol.max_catch_up = {} rounds): it cannot catch up, and its "
                      "group's models stand still until the run ends; start it with a newer copy "
                      "of its folder state, or for the next run",
                      agreement_.name(client), step, post_.sent, settings_.archive->oldest(),
                      settings_.max_catch_up)};
}

// While it was catching up: the others were faster, or what it misses next cannot be read.
Tasks Returns::leave_behind(int client, const Error& why) {
  members_[client].presence.leave();
  board_.lose(client);
  if (!board_.dead(client)) declare_dead(client, "it is too far behind");
  return farewell(client, Ending::kRefused, why.message);
}

}  // namespace fedvs::protocol
