// Who comes, comes back, or does not. A client that comes back lives under a new incarnation; the
// models that it shared before still count. It gets the gradients that it missed and takes part from
// the next plan on. A server that comes back sends the open plan anew.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fedvs/protocol/server.h"

namespace fedvs::protocol {
namespace {

constexpr int kGradientsAhead = 32;  // sent to a client that is behind before it reports again

}  // namespace

Tasks Server::on(double now, const Hello& hello) {
  const auto n = static_cast<std::size_t>(hello.from);
  if (const auto known = check_head(hello); !known) return send_away(hello, known.error());
  if (here_[n] && hellos_[n] == hello.incarnation) {  // whoever comes back does so as another
    note_about(now, hello.from, fmt::format("{} said hello twice", agreement_.name(hello.from)));
    return {};
  }
  if (conduct_[n].quarantined && conduct_[n].quarantines >= Conduct::kQuarantines) {
    return farewell(hello.from, Ending::kRefused, standing(hello.from));
  }
  switch (phase_) {
    case Phase::kGathering:
      return gather(hello);
    case Phase::kPreparing:
      return regather(hello);
    case Phase::kReturning:
      return gather_again(now, hello);
    default:
      return welcome_back(now, hello);
  }
}

Welcome Server::welcome() const {
  Welcome welcome{.server = incarnation_,
                  .clients = {},
                  .round = round_,
                  .training = training_started(),
                  .uploaded_below = uploaded_below_,
                  .sharings = sharings_,
                  .seeds = seeds_,
                  .named = named_steps()};
  for (const auto& incarnation : hellos_) {
    welcome.clients.push_back(incarnation.value_or(Incarnation{}));
  }
  if (std::ranges::any_of(cards_, [](const LifeCard& c) { return !c.signature.empty(); })) {
    welcome.cards = cards_;
  }
  return welcome;
}

void Server::meet(const Hello& hello) {
  const auto n = static_cast<std::size_t>(hello.from);
  board_.seen(hello.from, now_);
  hellos_[n] = hello.incarnation;
  cards_[n] = hello.card;
  sharings_[n] = hello.sharing;
  if (!training_started()) seeds_[n] = hello.seeds;  // later: the run's stay, whoever lost its own
  bound_groups_[n] = hello.groups;
  here_[n] = true;
  sent_away_[n] = false;
  claims_[n].reset();
  pardon(hello.from);
  told_head_[n] = hello.head ? hello.head->index : 0;
  agreeing_[n].reset();
  plan_sent_[n] = false;
  board_.meet(hello.from, hello.incarnation);
}

Tasks Server::to_all(MessagePtr message, std::size_t bytes) const {
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    tasks.push_back(send_now(outgoing(n, Channel::kControl, bytes, message)));
  }
  return tasks;
}

// ---- before training: nothing is kept but the rows that were shared

Tasks Server::gather(const Hello& hello) {
  meet(hello);
  if (std::ranges::count(here_, true) < agreement_.shape.parties) return {};
  policy_.meet(welcome());
  adopt_groups();
  phase_ = Phase::kPreparing;
  sharing_.begin(now_);
  below_since_ = -1;
  deadline_ = now_ + setup_interval();
  return to_all(make_message(welcome()), 16 * (1 + here_.size()));
}

// The models and seeds shared so far did not reach it: everybody starts over.
Tasks Server::regather(const Hello& hello) {
  observer_.on_note(fmt::format("{} came back before training; everybody says hello again",
                                agreement_.name(hello.from)));
  phase_ = Phase::kGathering;
  here_.assign(here_.size(), false);
  meet(hello);
  Tasks tasks = to_all(make_message(Regather{}), 8);
  tasks.erase(tasks.begin() + hello.from);
  return tasks;
}

// ---- a client comes back

Status Server::check_return(const Hello& hello) const {
  const auto refused = [&](std::string reason) {
    return Error{ErrorCode::kRefused, std::move(reason)};
  };
  if (settings_.archive == nullptr) return refused("nobody can come back to this run");
  if (hello.next_revision > revision_) {
    return refused(
        fmt::format("{} has seen plans up to revision {}, this server has sent {}: one "
                    "of the two folders is not of this run",
                    agreement_.name(hello.from), hello.next_revision, revision_));
  }
  if (hello.sharing != sharings_[static_cast<std::size_t>(hello.from)]) {
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
  Digest link = link_;
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
  note_about(now_, client, reason);
  const std::size_t bytes = reason.size();
  Tasks tasks;
  tasks.push_back(send_now(outgoing(client, Channel::kControl, bytes,
                                    make_message(Farewell{ending, std::move(reason)}))));
  return tasks;
}

// It may come again with another folder; until then nothing is expected of it.
Tasks Server::send_away(int client, std::string reason) {
  here_[static_cast<std::size_t>(client)] = false;
  sent_away_[static_cast<std::size_t>(client)] = true;
  behind_[static_cast<std::size_t>(client)].reset();
  board_.lose(client);
  hasten(now_);
  return farewell(client, Ending::kRefused, std::move(reason));
}

Tasks Server::welcome_back(double now, const Hello& hello) {
  const auto n = static_cast<std::size_t>(hello.from);
  if (const auto checked = check_return(hello); !checked) {
    return send_away(hello.from, checked.error().message);
  }
  observer_.on_note(fmt::format("{} is back in round {}, {} gradients behind",
                                agreement_.name(hello.from), round_, round_ - hello.step));
  meet(hello);
  policy_.meet(welcome());
  board_.declare_alive(hello.from);
  hope(now);
  behind_[n] = Behind{.next = hello.step};
  Tasks tasks = to_all(make_message(welcome()), 16 * (1 + here_.size()));
  append(tasks, catch_up(now, hello.from));
  return tasks;
}

std::vector<std::optional<StepNumber>> Server::named_steps() const {
  if (!training_started()) return {};
  const bool planned = plan_ && (plan_open_ || phase_ == Phase::kDone);
  const auto versions = evaluation_ ? evaluation_->versions
                        : planned   ? plan_->versions
                                    : policy_.name(round_, VersionPolicy::Choice::kOnlyHeld);
  std::vector<std::optional<StepNumber>> steps;
  for (const auto& version : versions) {
    steps.push_back(version ? std::optional(version->step) : std::nullopt);
  }
  return steps;
}

// A few gradients at a time, so that they never fill a queue; then its group shares anew.
Tasks Server::catch_up(double now, int client) {
  auto& behind = behind_[static_cast<std::size_t>(client)];
  hope(now);  // it moves, and its gradients have an end
  Tasks tasks = send_missed_gradients(client);
  if (!status_ || !behind || behind->next < steps_sent() || untold_plans(client)) return tasks;
  behind.reset();
  if (phase_ == Phase::kDone) {
    append(tasks, farewell(client, Ending::kFinished,
                           fmt::format("the run has finished; {} has fetched what it missed",
                                       agreement_.name(client))));
  } else {
    auto share = policy_.returned(client, round_, now);
    ask_withholding(now, share);
    append(tasks, ask_to_share(share));
  }
  return tasks;
}

Tasks Server::send_missed_gradients(int client) {
  auto& behind = behind_[static_cast<std::size_t>(client)];
  Tasks tasks;
  const StepNumber sent = steps_sent();
  for (int i = 0; i < kGradientsAhead && behind->next < sent; ++i) {
    const auto missed = settings_.archive->read(behind->next);
    if (!missed) return leave_behind(client, too_far_behind(client, behind->next));
    ++behind->next;
    const std::vector<bool> none(hellos_.size(), false);
    tasks.push_back(
        send_now(outgoing(client, Channel::kControl, missed->gradient->values().size() * 4,
                          make_message(Step{.gradient = missed->gradient,
                                            .share = none,
                                            .plan = {},
                                            .groups = groups_,
                                            .frozen = none,
                                            .released = none,
                                            .rate_factor = missed->rate_factor}))));
  }
  const std::uint64_t told = told_head_[static_cast<std::size_t>(client)];
  if (misses_forgotten_plans(told)) return leave_behind(client, forgotten_plans(client, told));
  if (const auto is_told = tell_missed(client, tasks); !is_told) {
    return leave_behind(client, is_told.error());
  }
  if (behind->next < sent || untold_plans(client)) {
    tasks.push_back(
        send_now(outgoing(client, Channel::kControl, 8, make_message(ReportRequest{}))));
  }
  return tasks;
}

// Without a plan: of the step that the clients are at.
Tasks Server::ask_to_share(const std::vector<bool>& share) {
  Step step{.gradient = {},
            .share = share,
            .plan = {},
            .groups = groups_,
            .frozen = policy_.frozen(),
            .released = policy_.released()};
  const auto message = make_message(std::move(step));
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    if (!share[client] || behind_[client]) continue;
    tasks.push_back(send_now(outgoing(n, Channel::kControl, 8 * share.size(), message)));
  }
  return tasks;
}

// It was slow, or stopped for a while, and has lost nothing.
Tasks Server::declare_alive(double now, int client) {
  if (!board_.dead(client) || !here_[static_cast<std::size_t>(client)]) return {};
  observer_.on_note(fmt::format("{} answers again in round {}", agreement_.name(client), round_));
  board_.declare_alive(client);
  hope(now);
  return ask_to_share(policy_.returned(client, round_, now));
}

void Server::note_saved(int client, StepNumber step) {
  auto& saved = saved_[static_cast<std::size_t>(client)];
  if (settings_.archive == nullptr || step <= saved) return;
  saved = std::min(step, steps_sent());
  given_up_[static_cast<std::size_t>(client)] = false;
  forget_old_gradients();
}

// Those that nobody needs who may come back. For one that stays away they are not kept for ever:
// then it cannot catch up any more, and its group stands still.
void Server::forget_old_gradients() {
  const auto most = static_cast<StepNumber>(settings_.max_catch_up);
  const StepNumber kept =
      std::max(sent_ - std::min(sent_, most), settings_.archive->oldest_that_fits());
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    if (saved_[client] >= kept || given_up_[client] || board_.answers(n)) continue;
    given_up_[client] = true;
    observer_.on_note(
        fmt::format("{} is away and was last known to have saved step {}: it cannot catch up "
                    "any more from there (protocol.max_catch_up = {} rounds, or the log is full)",
                    agreement_.name(n), saved_[client], most));
  }
  settings_.archive->forget_before(std::max(*std::ranges::min_element(saved_), kept));
}

Error Server::too_far_behind(int client, StepNumber step) const {
  return {ErrorCode::kRefused,
          fmt::format("{} comes back at step {} of {}, and gradients before step {} are not kept "
                      "any more (protocol.max_catch_up = {} rounds): it cannot catch up, and its "
                      "group's models stand still until the run ends; start it with a newer copy "
                      "of its folder state, or for the next run",
                      agreement_.name(client), step, sent_, settings_.archive->oldest(),
                      settings_.max_catch_up)};
}

// While it was catching up: the others were faster, or what it misses next cannot be read.
Tasks Server::leave_behind(int client, const Error& why) {
  const auto n = static_cast<std::size_t>(client);
  behind_[n].reset();
  here_[n] = false;
  board_.lose(client);
  if (!board_.dead(client)) declare_dead(client, "it is too far behind");
  return farewell(client, Ending::kRefused, why.message);
}

// ---- too few

std::string Server::names_of_missing() const {
  std::string names;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const std::string standing_of = standing(n);
    const bool away = board_.dead(n) || !here_[static_cast<std::size_t>(n)];
    if (!away && board_.answers(n)) continue;
    if (!away && standing_of.empty()) continue;
    names += agreement_.listed(n);
    if (!standing_of.empty()) names += fmt::format(" ({})", standing_of);
  }
  return names;
}

Tasks Server::below_threshold(double now) {
  const std::string lack =
      fmt::format("round {}: {} clients are left and R = {} are needed; no sign of clients{}",
                  round_, board_.alive(), agreement_.uploads_needed(), names_of_missing());
  if (below_since_ < 0) {
    below_since_ = now;
    if (settings_.wait_for_return > 0) {
      observer_.on_note(fmt::format("{}; waiting {} s for them", lack, settings_.wait_for_return));
    }
  }
  if (now - below_since_ >= settings_.wait_for_return) {
    return fail(ErrorCode::kTooFewShares, lack);
  }
  hope(now);  // this wait has a limit of its own
  deadline_ = std::min(now + agreement_.dead_after, below_since_ + settings_.wait_for_return);
  return request_reports();
}

// ---- the server comes back

Tasks Server::gather_again(double now, const Hello& hello) {
  const auto n = static_cast<std::size_t>(hello.from);
  Tasks tasks;
  if (claims_too_much(hello)) {
    tasks = note_claim(hello);
  } else if (const auto checked = check_return(hello); !checked) {
    tasks = send_away(hello.from, checked.error().message);
  } else {
    meet(hello);
    behind_[n] = Behind{.next = hello.step};
  }
  if (!status_) return tasks;
  if (!all_are_heard()) {
    const auto here = static_cast<int>(std::ranges::count(here_, true));
    if (here >= agreement_.uploads_needed()) hurry(now);
    return tasks;
  }
  append(tasks, judge_claims());
  if (status_ && all_are_heard()) append(tasks, go_on(now));
  return tasks;
}

// Enough are back: the others get a moment to come, each a second after the one before it, and may
// come later. But in warm-up a death fixes the groups for ever: then all are waited for.
void Server::hurry(double now) {
  const double moment = std::min(1.0, agreement_.dead_after);  // seconds
  if (!policy_.groups_formed()) return;
  if (enough_since_ < 0) enough_since_ = now;
  deadline_ = std::min(now + moment, enough_since_ + 3 * moment);
}

// A server writes down what it sends before it sends it: whoever has seen more tells the truth only
// if the server's folder is old, and then more than T say so.
bool Server::claims_too_much(const Hello& hello) const {
  return settings_.archive != nullptr &&
         (hello.step > steps_sent() || hello.next_revision > revision_);
}

Tasks Server::note_claim(const Hello& hello) {
  claims_[static_cast<std::size_t>(hello.from)] = hello;
  int ahead = 0;
  std::string names;
  for (const auto& claim : claims_) {
    if (!claim || claim->step <= steps_sent()) continue;
    ++ahead;
    names += fmt::format("{}{} ({} gradients)", ahead > 1 ? ", " : "", agreement_.name(claim->from),
                         claim->step);
  }
  if (ahead <= agreement_.shape.colluding) return {};
  return fail(ErrorCode::kRefused,
              fmt::format("{} have applied more than the {} gradients that this server has sent: "
                          "the server's folder is older than the run; restore the newest",
                          names, steps_sent()));
}

// Plans are numbered from the highest that more than T have seen on.
Tasks Server::judge_claims() {
  std::vector<std::uint64_t> seen;
  for (const auto& claim : claims_) {
    if (claim && claim->step <= steps_sent()) seen.push_back(claim->next_revision);
  }
  const auto colluding = static_cast<std::size_t>(agreement_.shape.colluding);
  std::ranges::sort(seen, std::ranges::greater());
  if (seen.size() > colluding) {
    revision_ = seen[colluding];
    observer_.on_note(
        fmt::format("{} clients have seen plans that this server does not know of; "
                    "it goes on from revision {}",
                    seen.size(), revision_));
  }
  Tasks tasks;
  for (auto& claim : claims_) {
    if (!claim) continue;
    const Hello hello = *std::exchange(claim, std::nullopt);
    const auto checked = check_return(hello);
    if (!checked) {
      append(tasks, send_away(hello.from, checked.error().message));
      continue;
    }
    meet(hello);
    behind_[static_cast<std::size_t>(hello.from)] = Behind{.next = hello.step};
  }
  return tasks;
}

// Whoever is quarantined or was sent away is not waited for.
bool Server::all_are_heard() const {
  for (std::size_t n = 0; n < here_.size(); ++n) {
    if (!here_[n] && !claims_[n] && !conduct_[n].quarantined && !sent_away_[n]) return false;
  }
  return std::ranges::count(here_, true) >= agreement_.uploads_needed();
}

Tasks Server::returning_deadline_passed(double now) {
  Tasks tasks = judge_claims();
  if (!status_) return tasks;
  const auto here = static_cast<int>(std::ranges::count(here_, true));
  if (here >= agreement_.uploads_needed()) {
    append(tasks, go_on(now));
    return tasks;
  }
  if (below_since_ < 0) {
    below_since_ = now;
    observer_.on_note(fmt::format(
        "round {}: {} clients are back and R = {} are needed; clients{} are missing; waiting {} s",
        round_, here, agreement_.uploads_needed(), names_of_missing(), settings_.wait_for_return));
  }
  if (now - below_since_ >= settings_.wait_for_return) {
    return fail(ErrorCode::kTooFewShares,
                fmt::format("round {}: {} clients came back and R = {} are needed; no sign of "
                            "clients{}",
                            round_, here, agreement_.uploads_needed(), names_of_missing()));
  }
  deadline_ = std::min(now + agreement_.dead_after, below_since_ + settings_.wait_for_return);
  return tasks;
}

// Those who are not there count as dead until they come; the plan that was open is sent anew.
Tasks Server::go_on(double now) {
  below_since_ = enough_since_ = -1;
  phase_ = Phase::kWaiting;
  policy_.meet(welcome());
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    board_.seen(n, now);
    const bool here = here_[static_cast<std::size_t>(n)];
    if (!here && !board_.quarantined(n)) declare_dead(n, "it has not come back");
  }
  Tasks tasks;
  const auto message = make_message(welcome());
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!here_[static_cast<std::size_t>(n)]) continue;
    tasks.push_back(send_now(outgoing(n, Channel::kControl, 16 * (1 + here_.size()), message)));
    append(tasks, catch_up(now, n));
  }
  append(tasks, ask_to_share(policy_.all_returned(round_, now)));
  step_started_ = now;
  hope(now);
  deadline_span_ = std::max(soft_deadline(), 1.0);
  append(tasks, go_on_with_plan(now));
  return tasks;
}

Tasks Server::go_on_with_plan(double now) {
  if (plan_open_) return issue(now, plan_->part, plan_->rows, plan_->versions, plan_frozen_);
  if (evaluation_) {
    const bool more = evaluation_->next < evaluation_->chunks.size();
    return more ? next_chunk(now) : finish_evaluation(now);
  }
  // An epoch that was followed by standing by has been counted.
  if (std::exchange(stood_by_, false)) return train_on(now);
  return schedule_.epoch_has_more() ? next_training_step(now) : next_after_epoch(now);
}

// The gradient of the round is still broadcast: clients leave with it applied.
Tasks Server::stop() {
  Tasks tasks;
  tasks.push_back(broadcast(nullptr, /*free=*/false));
  fail(ErrorCode::kStopped, fmt::format("stopped after round {}", round_));
  return tasks;
}

}  // namespace fedvs::protocol
