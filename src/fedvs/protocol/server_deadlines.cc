// What the server does when a round takes too long: ask who holds what, revise the plan. No wait is
// unbounded.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fedvs/protocol/server.h"

namespace fedvs::protocol {
namespace {

constexpr double kPatience = 10;  // times dead_after: the longest that a plan is waited for

}  // namespace

Tasks Server::tick(double now) {
  now_ = now;
  if (!status_) return {};
  Tasks tasks = take_kept(now);
  if (phase_ == Phase::kDone || !status_ || now < deadline_) return tasks;
  append(tasks, soft_deadline_passed(now));
  return tasks;
}

double Server::next_deadline() const {
  if (!status_) return deadline_;
  return std::min({deadline_, returns_.next(), reports_.next()});
}

// Everybody must say hello and share its rows. That may take as long as it does while something
// moves; whoever is alive answers when asked.
Tasks Server::setup_deadline_passed(double now) {
  if (const auto names = silent_before_training(now); !names.empty()) {
    return wait_before_training(now, names);
  }
  below_since_ = -1;
  if (sharing_.still_for(now) > kPatience * agreement_.dead_after) {
    return fail(ErrorCode::kTooFewShares,
                fmt::format("before training: all clients answer, but for {:.0f} s no rows have "
                            "come: {}",
                            sharing_.still_for(now), sharing_.unfinished()));
  }
  deadline_ = now + setup_interval();
  return request_reports(sharing_.should_ask_again(now, 2 * agreement_.dead_after));
}

double Server::setup_interval() const {
  constexpr double kMostSeconds = 5;  // for whoever watches how far it is
  if (settings_.archive == nullptr) return agreement_.dead_after;
  return std::min(agreement_.dead_after / 4, kMostSeconds);
}

std::string Server::silent_before_training(double now) const {
  std::string names;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const double seen = board_.last_seen(n);
    const bool long_ago = settings_.archive == nullptr || now - seen > agreement_.dead_after;
    const bool silent = phase_ == Phase::kGathering ? !here_[static_cast<std::size_t>(n)]
                                                    : asked_at_ > 0 && seen < asked_at_ && long_ago;
    if (silent) names += agreement_.listed(n);
  }
  return names;
}

Tasks Server::wait_before_training(double now, const std::string& names) {
  const std::string lack = fmt::format(
      "before training: no sign of clients{} for {} s; all {} must share their rows "
      "first",
      names, agreement_.dead_after, agreement_.shape.parties);
  if (below_since_ < 0) {
    below_since_ = now;
    if (settings_.wait_for_return > 0) {
      observer_.on_note(fmt::format("{}; waiting {} s for them", lack, settings_.wait_for_return));
    }
  }
  if (now - below_since_ >= settings_.wait_for_return) return fail(ErrorCode::kTooFewShares, lack);
  deadline_ = std::min(now + agreement_.dead_after, below_since_ + settings_.wait_for_return);
  return request_reports();
}

// Where clients come and go, rounds in which some were away must not make the next ones patient:
// who is silent must be found out, and a revision be made without it, before dead_after is over.
double Server::soft_deadline() const {
  const double usual = pace_.soft_deadline();
  return settings_.archive == nullptr ? usual : std::min(usual, patient_span() / 2);
}

double Server::patient_span() const {
  return std::min(agreement_.dead_after, std::max(agreement_.dead_after / 2, 2.0));
}

Tasks Server::soft_deadline_passed(double now) {
  if (phase_ == Phase::kReturning) return returning_deadline_passed(now);
  if (!training_started()) return setup_deadline_passed(now);
  if (phase_ == Phase::kStandingBy) return stand_by(now);
  if (auto settled = doubt_deadline_passed(now)) return std::move(*settled);
  if (phase_ == Phase::kCollecting && policy_.any_fresh(round_)) {
    declare_deaths(now);
    if (!status_) return {};
    Tasks tasks = request_reports();  // so that a group is not dropped for ever for a dead member
    append(tasks, issue_training_plan(now, VersionPolicy::Choice::kNormal));
    return tasks;  // without the late groups
  }
  note_silent();
  Tasks tasks = share_anew(now);
  auto revised = revise_or_bury(now);
  append(tasks, revised ? std::move(*revised) : wait_longer(now));
  return tasks;
}

// What clients that came and went have left nobody with.
Tasks Server::share_anew(double now) {
  if (settings_.archive == nullptr) return {};
  Tasks tasks = ask_to_share(policy_.recover(round_, now));
  if (phase_ == Phase::kCollecting) {  // what was asked for came after its round
    const auto asked = policy_.ask_for_shares(round_, now);
    for (std::size_t n = 0; n < asked.size(); ++n)
      record_.shared[n] = record_.shared[n] || asked[n];
    append(tasks, ask_to_share(asked));
  }
  return tasks;
}

// Twice where deaths are declared: a frozen group's old models may then be named. None: no revision
// would help.
std::optional<Tasks> Server::revise_or_bury(double now) {
  for (bool again = reports_requested_; again || declare_deaths(now); again = false) {
    if (!status_) return Tasks{};
    if (phase_ != Phase::kWaiting) continue;
    Tasks tasks = revise(now);
    if (!tasks.empty() || phase_ != Phase::kWaiting || !status_) return tasks;
  }
  return std::nullopt;
}

Tasks Server::wait_longer(double now) {
  if (board_.alive() < agreement_.uploads_needed()) return below_threshold(now);
  below_since_ = -1;
  if (waited_too_long(now)) return {};
  const double longest =
      settings_.archive == nullptr ? std::max(agreement_.dead_after, 1.0) : patient_span();
  deadline_span_ = std::min(2 * deadline_span_, longest);
  deadline_ = std::min(now + deadline_span_, next_death(now));
  return request_reports();
}

void Server::hope(double now) {
  hopeful_since_ = now;
  said_stuck_ = false;
}

// Those who are there may be too few to answer though they are R: one that came back with an old
// folder lacks what a dead one shared. Then it takes somebody's return.
bool Server::waited_too_long(double now) {
  const double waited = now - hopeful_since_;
  const std::string names = names_of_missing(), heads = heads_missing();
  if (!names.empty() && waited > 2 * agreement_.dead_after && !said_stuck_) {
    said_stuck_ = true;
    observer_.on_note(
        fmt::format("round {}: {} of {} uploads after {:.0f} s; waiting for clients{}{}", round_,
                    box_.count(), agreement_.uploads_needed(), waited, names, heads));
  }
  const double patience =
      kPatience * agreement_.dead_after + (names.empty() ? 0 : settings_.wait_for_return);
  if (waited <= patience) return false;
  std::string silent;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!box_.has_upload_of(n)) silent += agreement_.listed(n);
  }
  fail(ErrorCode::kTooFewShares,
       fmt::format(
           "round {}: {} of {} uploads after {:.0f} s{}{}", round_, box_.count(),
           agreement_.uploads_needed(), waited,
           names.empty() ? "; no upload of clients" + silent : "; missing are clients" + names,
           heads));
  return true;
}

Tasks Server::request_reports(bool fetch_again) {
  reports_requested_ = true;
  asked_at_ = now_;
  reported_.assign(reported_.size(), false);
  const auto request = make_message(ReportRequest{.fetch_again = fetch_again});
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    tasks.push_back(send_now(outgoing(n, Channel::kControl, 8, request)));
  }
  return tasks;
}

bool Server::everybody_reported() const {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (board_.answers(n) && !reported_[static_cast<std::size_t>(n)]) return false;
  }
  return true;
}

// The next revision of the plan, if another would do better. An abandoned plan counts as opened:
// the new one keeps rows and versions, or takes other rows.
Tasks Server::revise(double now) {
  const int needed = agreement_.uploads_needed();
  if (!everybody_reported() && now < deadline_) return {};
  reports_requested_ = false;
  const auto enough_hold = [&](const Plan& plan) {
    return static_cast<int>(caught_up(board_.able(plan)).size()) >= needed;
  };

  Plan other = *plan_;
  other.versions = policy_.name(round_, VersionPolicy::Choice::kOnlyHeld);
  const bool withheld = names_withheld(other.versions);
  if (uploads_possible() >= needed && !withheld) return {};  // they are just slow
  if (enough_hold(*plan_) && !withheld) return repeat_plan(now);
  // An evaluation can wait, unless what it waits for may never come.
  const bool may_change = plan_->training() || died_since_plan_ || settings_.archive != nullptr;
  if (!enough_hold(other) || !may_change || version_vector_id(other) == version_vector_id(*plan_))
    return {};
  observer_.on_note(fmt::format("round {}: {}", round_,
                                plan_->training() ? "plan revised with older models and other rows"
                                                  : "the evaluation goes on with older models"));
  ++record_.abandoned;
  if (!plan_->training()) return restart_evaluation(now, std::move(other.versions));
  if (!schedule_.epoch_has_more()) return next_after_epoch(now);  // no other rows in this epoch
  return issue(now, data::Part::kTrain, schedule_.take().rows, std::move(other.versions),
               policy_.frozen());
}

// Clients that came back after the plan was sent were told of it as of one that they missed, and
// do not answer it. Rows and versions stay, so that nothing new is opened.
Tasks Server::repeat_plan(double now) {
  observer_.on_note(fmt::format("round {}: plan sent anew, for those who came back", round_));
  ++record_.abandoned;
  return issue(now, plan_->part, plan_->rows, plan_->versions, plan_frozen_);
}

// A client has caught up: with it there may be enough for the open plan.
Tasks Server::revise_for_returned(double now) {
  const int needed = agreement_.uploads_needed();
  if (phase_ != Phase::kWaiting || !plan_open_ || uploads_possible() >= needed) return {};
  const auto able = static_cast<int>(caught_up(board_.able(*plan_)).size());
  return able >= needed ? repeat_plan(now) : Tasks{};
}

// Chunks opened so far keep their predictions; the rest are opened with older models. A chunk that
// was abandoned cannot be opened with other versions in this epoch and keeps no prediction.
Tasks Server::restart_evaluation(double now, std::vector<std::optional<Version>> versions) {
  evaluation_->versions = std::move(versions);
  evaluation_->frozen = policy_.frozen();
  if (evaluation_->next >= evaluation_->chunks.size()) return finish_evaluation(now);
  return next_chunk(now);
}

Tasks Server::fail(ErrorCode code, std::string message) {
  if (status_) status_ = Error{code, std::move(message)};
  deadline_ = std::numeric_limits<double>::infinity();
  return {};
}

}  // namespace fedvs::protocol
