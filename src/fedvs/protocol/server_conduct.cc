// Who is not counted on any more, and why: one that refuses, whose uploads are wrong, that does not
// deliver what it promised, or that says too much. No single client's word, silence or state ends a
// run that R others can go on with.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fedvs/protocol/server.h"

namespace fedvs::protocol {
namespace {

constexpr int kSuspiciousRounds = 20;  // opened with uploads to spare, after a contradiction
constexpr int kSpare = 2;              // uploads beyond R that find one wrong one out

}  // namespace

// ---- what may be said, and how often

// Hellos and reports that came too soon.
Tasks Server::take_kept(double now) {
  Tasks tasks;
  for (Turnstile* kept : {&returns_, &reports_}) {
    while (const auto message = kept->due(now)) {
      if (!status_) return tasks;
      append(tasks, take(now, message));
    }
  }
  return tasks;
}

void Server::note_about(double now, int client, const std::string& text) {
  if (settings_.archive == nullptr || remarks_.pass(now, client)) observer_.on_note(text);
}

// One client's word about another is written down, and nothing follows from it.
Tasks Server::on(double now, const Complaint& complaint) {
  note_about(now, complaint.from,
             fmt::format("{} complains of {}: {}", agreement_.name(complaint.from),
                         agreement_.name(complaint.about), complaint.reason));
  return {};
}

// What no honest client sends.
Tasks Server::fault(double now, int client, const std::string& what) {
  note_about(now, client, what);
  auto& conduct = conduct_[static_cast<std::size_t>(client)];
  if (!training_started() || conduct.quarantined || ++conduct.faults < Conduct::kFaults) return {};
  conduct.faults = 0;
  return quarantine(now, client, fmt::format("{} messages like this: {}", Conduct::kFaults, what),
                    /*refused=*/false);
}

std::string Server::standing(int client) const {
  const auto& conduct = conduct_[static_cast<std::size_t>(client)];
  if (conduct.quarantined) return "quarantined: " + conduct.reason;
  if (board_.withholds(client)) return "does not share its model";
  if (board_.idle(client)) return "does not upload";
  return {};
}

// ---- quarantine

// Before training nothing goes on without it.
Tasks Server::on(double now, const Refusal& refusal) {
  const std::string what = fmt::format("refused revision {}: {}", refusal.revision, refusal.reason);
  if (!training_started()) {
    const std::string text = fmt::format("{} {}", agreement_.name(refusal.from), what);
    observer_.on_note(text);
    return fail(ErrorCode::kRefused, text);
  }
  return quarantine(now, refusal.from, "it " + what, /*refused=*/true);
}

Tasks Server::quarantine(double now, int client, const std::string& why, bool refused) {
  const auto n = static_cast<std::size_t>(client);
  auto& conduct = conduct_[n];
  if (conduct.quarantined) return {};
  conduct.quarantined = true;
  conduct.refused = refused;
  conduct.reason = why;
  ++conduct.quarantines;
  board_.set_quarantined(client, true);
  here_[n] = false;
  behind_[n].reset();
  box_.drop(client);
  died_since_plan_ = true;
  save_due_ = settings_.archive != nullptr;
  observer_.on_note(
      fmt::format("{} quarantined in round {}: {}", agreement_.name(client), round_, why));
  leave_group(client);
  hasten(now);
  Tasks tasks = farewell(client, Ending::kRefused,
                         fmt::format("the run goes on without {} until its operator starts it "
                                     "again: {}",
                                     agreement_.name(client), why));
  append(tasks, end_if_many_refuse());
  return tasks;
}

Tasks Server::end_if_many_refuse() {
  std::string names;
  int refusers = 0;
  for (std::size_t n = 0; n < conduct_.size(); ++n) {
    if (!conduct_[n].quarantined || !conduct_[n].refused) continue;
    names += fmt::format("{}{}: {}", refusers++ > 0 ? "; " : "",
                         agreement_.name(static_cast<int>(n)), conduct_[n].reason);
  }
  if (refusers <= agreement_.shape.colluding) return {};
  return fail(ErrorCode::kRefused, fmt::format("{} clients refuse, more than T = {}: {}", refusers,
                                               agreement_.shape.colluding, names));
}

// It lives anew. What it still owes of its model it owes.
void Server::pardon(int client) {
  auto& conduct = conduct_[static_cast<std::size_t>(client)];
  board_.set_idle(client, false);
  conduct.owes = 0;
  if (!conduct.quarantined) return;
  conduct.quarantined = conduct.refused = false;
  conduct.faults = 0;
  board_.set_quarantined(client, false);
  save_due_ = settings_.archive != nullptr;
  observer_.on_note(fmt::format("{} takes part again in round {}, after: {}",
                                agreement_.name(client), round_, conduct.reason));
}

Status Server::restore_conduct(ByteReader& in) {
  for (std::size_t n = 0; n < conduct_.size(); ++n) {
    FEDVS_TRY_STATUS(conduct_[n].restore(in));
    board_.set_quarantined(static_cast<int>(n), conduct_[n].quarantined);
  }
  FEDVS_TRY(idle_rounds_, in.number<std::uint64_t>());
  FEDVS_TRY(idle_epochs_, in.number<int>());
  FEDVS_TRY(learned_in_epoch_, in.flag());
  FEDVS_TRY(stood_by_, in.flag());
  return {};
}

// Somebody is away or out: whoever waits looks at it soon.
void Server::hasten(double now) {
  if (settings_.archive == nullptr) return;
  if (phase_ != Phase::kWaiting && phase_ != Phase::kCollecting)
    return;
  constexpr double kToComeBack = 1;  // seconds, for one that is only cut off
  deadline_span_ = std::min(soft_deadline(), kToComeBack);
  deadline_ = std::min(deadline_, now + deadline_span_);
}

// ---- promised and not delivered

bool Server::strike_off(double now) {
  if (settings_.archive == nullptr || !status_) return false;
  const bool withholding = strike_withholding(now);
  return strike_idle(now) || withholding;
}

bool Server::strike_withholding(double now) {
  std::vector<std::pair<int, double>> owing;  // who, for how long; the first strike ends that
  for (int n : policy_.overdue(now, agreement_.dead_after, there())) {
    const double owed_for = now - policy_.owed_since(n);
    if (!board_.stuck(n) && owed_for > longest_debt(n)) owing.emplace_back(n, owed_for);
  }
  for (const auto& [n, owed_for] : owing) {
    if (status_) strike(now, n, owed_for);
  }
  return !owing.empty();
}

// One that catches up gets its gradients first, and one that says nothing is soon declared dead:
// for both it is twice as long. No longer, whatever they say: each could go on like that for ever.
double Server::longest_debt(int client) const {
  const bool excused = behind_[static_cast<std::size_t>(client)] || !board_.answers(client);
  return (excused ? 2 : 1) * agreement_.dead_after;
}

void Server::strike(double now, int client, double owed_for) {
  const auto n = static_cast<std::size_t>(client);
  auto& conduct = conduct_[n];
  ++conduct.withheld;
  conduct.struck_at = now;
  conduct.asked_at = behind_[n] ? 0 : now;  // 0: is asked as soon as it has caught up
  conduct.asked_step = policy_.pending_of(client).value_or(round_);
  board_.set_withholds(client, true);
  died_since_plan_ = true;
  observer_.on_note(fmt::format(
      "{} no longer counted on in round {}: asked for its model, now of step {}, after {:.0f} s "
      "fewer than R = {} others hold it; its group stands still until they do",
      agreement_.name(client), round_, conduct.asked_step, owed_for, agreement_.uploads_needed()));
  leave_group(client);
}

// They are asked again now and then, each alone: nothing is opened with what they share.
void Server::ask_withholding(double now, std::vector<bool>& share) {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    auto& conduct = conduct_[client];
    const bool due = now - conduct.asked_at >= agreement_.dead_after || !conduct.asked_at;
    if (!board_.withholds(n) || !board_.answers(n) || behind_[client] || !due) continue;
    conduct.asked_at = now;
    conduct.asked_step = round_;
    share[client] = true;
  }
}

Tasks Server::redeem(double now) {
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!board_.withholds(n)) continue;
    const auto& conduct = conduct_[static_cast<std::size_t>(n)];
    const auto others = there();
    const int holders = board_.holders(std::span<const int>(&n, 1), conduct.asked_step);
    if (holders < agreement_.uploads_needed()) continue;
    if (board_.holders_beside(n, conduct.asked_step, others) < board_.needed_beside(n, others))
      continue;
    if (!conduct.may_be_redeemed(now, agreement_.dead_after)) continue;
    board_.set_withholds(n, false);
    observer_.on_note(
        fmt::format("{} shares its model again in round {}", agreement_.name(n), round_));
    hope(now);
    append(tasks, ask_to_share(policy_.returned(n, round_, now)));
  }
  return tasks;
}

// By its own word it holds all that the plan takes. Where enough others do not either, this is what
// lets another plan be made.
bool Server::strike_idle(double now) {
  if (phase_ != Phase::kWaiting || doubt_) return false;
  bool any = false;
  const bool quorum_is_away = below_quorum();
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    auto& since = able_at_[static_cast<std::size_t>(n)];
    const bool excused = quorum_is_away && waits_for_heads(n);
    if (!may_upload(n) || box_.has_upload_of(n) || excused) {
      since = -1;
      continue;
    }
    if (since < 0) since = now;
    if (now - since <= agreement_.dead_after) continue;
    conduct_[static_cast<std::size_t>(n)].fall_idle();
    board_.set_idle(n, true);
    any = true;
    observer_.on_note(
        fmt::format("{} no longer counted on in round {}: it says that it holds all "
                    "that the plan takes, and has not uploaded for {:.0f} s",
                    agreement_.name(n), round_, now - since));
  }
  return any;
}

void Server::note_upload_of(double now, int client) {
  auto& conduct = conduct_[static_cast<std::size_t>(client)];
  if (!board_.idle(client) || --conduct.owes > 0) return;
  board_.set_idle(client, false);
  policy_.update(now);
  observer_.on_note(fmt::format("{} uploads again in round {}", agreement_.name(client), round_));
}

// ---- wrong uploads

// After a contradiction that named nobody, some more than R are waited for while they may come.
bool Server::enough_uploads() const {
  const int needed = agreement_.uploads_needed();
  if (doubt_ && box_.count() <= doubted_) return false;
  if (suspicious_rounds_ == 0 || box_.count() >= needed + kSpare) return box_.count() >= needed;
  return box_.count() >= needed && !others_may_upload();
}

bool Server::others_may_upload() const {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (board_.answers(n) && !behind_[static_cast<std::size_t>(n)] && !box_.has_upload_of(n))
      return true;
  }
  return false;
}

// The uploads contradict each other and are too few to tell which are wrong: more of the same plan
// tell. Where more do not come the run stops: nobody knows which sum is right. (Seeds of masks are
// committed to, so that no client can spoil all uploads by its masks.)
Tasks Server::doubt(double now, const Error& contradiction) {
  if (agreement_.correct_uploads || !others_may_upload()) {
    return fail(contradiction.code, contradiction.message);
  }
  if (!doubt_) doubt_since_ = now;
  if (!doubt_) observer_.on_note(contradiction.message + "; waiting for more uploads");
  doubt_ = contradiction;
  doubted_ = box_.count();
  box_.reopen();
  phase_ = Phase::kWaiting;
  deadline_ = now + deadline_span_;
  return {};
}

// Of more than T at most T are at fault: then somebody sends others wrong shares, and would have
// all of them quarantined one by one. Their uploads are found out each time, with some to spare.
Tasks Server::found_wrong(double now, int client) {
  const auto for_that = [&](const Conduct& c) { return c.quarantined && c.reason == kWrongUpload; };
  if (std::ranges::count_if(conduct_, for_that) < agreement_.shape.colluding) {
    return quarantine(now, client, kWrongUpload, /*refused=*/false);
  }
  suspicious_rounds_ = kSuspiciousRounds;
  note_about(now, client,
             fmt::format("round {}: the upload of {} is wrong too, as those of T = {} before: some "
                         "client sends others wrong shares; it is left out of this sum",
                         round_, agreement_.name(client), agreement_.shape.colluding));
  return {};
}

// Without slack the run stops: nobody knows which sum is right. Spare uploads that do not come are
// done without.
std::optional<Tasks> Server::doubt_deadline_passed(double now) {
  if (phase_ != Phase::kWaiting) return std::nullopt;
  if (doubt_) {
    if (now - doubt_since_ > agreement_.dead_after || !others_may_upload()) {
      return fail(doubt_->code, doubt_->message);
    }
    return std::nullopt;
  }
  const bool held_back = suspicious_rounds_ > 0 || holders_since_ >= 0;
  if (!held_back || box_.count() < agreement_.uploads_needed()) return std::nullopt;
  return holders_deadline_passed(now);
}

// Of plans that were opened before they came.
Result<Tasks> Server::judge_late(double now) {
  Tasks tasks;
  for (const auto& found : box_.check_late()) {
    if (agreement_.correct_uploads) {
      observer_.on_note(found.error.message);
      continue;
    }
    const bool spare = board_.alive() >= agreement_.uploads_needed() + kSpare;
    if (found.wrong.empty() && !spare) return found.error;
    observer_.on_note(found.error.message);
    for (int n : found.wrong) append(tasks, found_wrong(now, n));
    if (found.wrong.empty()) suspicious_rounds_ = kSuspiciousRounds;
    if (found.was_opened) take_back(*found.plan);
    if (!status_) return status_.error();
  }
  return tasks;
}

// What the central model learned from a sum that was wrong, or may have been. The clients have
// their gradients: those are bounded.
void Server::take_back(const Plan& plan) {
  const bool learned = plan.training() && learned_round_ == plan.round;
  if (!learned || central_before_.empty()) return;
  if (const auto loaded = learner_.central().load(central_before_); !loaded) {
    fail(loaded.error().code, loaded.error().message);
    return;
  }
  observer_.on_note(fmt::format(
      "round {}: the sum that it was opened to may be wrong; the central model is the one from "
      "before it",
      plan.round));
}

}  // namespace fedvs::protocol
