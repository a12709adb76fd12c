#include "fedvs/protocol/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fedvs/protocol/groups.h"
#include "fedvs/protocol/message_form.h"
#include "fedvs/protocol/segments.h"
#include "fedvs/protocol/sender.h"

namespace fedvs::protocol {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// What one client may make the server do. Returns make work for everybody; the newest report says
// what all before it did; remarks are lines in logs.
constexpr double kReturnsAtOnce = 4, kSecondsPerReturn = 5;
constexpr double kReportsAtOnce = 1000, kSecondsPerReport = 1e-3;
constexpr double kRemarksAtOnce = 10, kSecondsPerRemark = 5;

std::size_t parties(const Agreement& a) { return static_cast<std::size_t>(a.shape.parties); }

}  // namespace

Server::Server(const Agreement& agreement, const coding::LagrangeCode& code, Learner& learner,
               SecretSource& secrets, Observer& observer, ServerSettings settings)
    : agreement_(agreement),
      learner_(learner),
      observer_(observer),
      settings_(settings),
      incarnation_(Incarnation::draw(secrets, kServer)),
      hellos_(parties(agreement)),
      cards_(parties(agreement)),
      here_(parties(agreement), false),
      sent_away_(parties(agreement), false),
      sharings_(parties(agreement)),
      seeds_(parties(agreement)),
      bound_groups_(parties(agreement)),
      behind_(parties(agreement)),
      saved_(parties(agreement), 0),
      uploaded_below_(parties(agreement), 0),
      told_head_(parties(agreement), 0),
      agreeing_(parties(agreement)),
      given_up_(parties(agreement), false),
      finished_(parties(agreement), false),
      conduct_(parties(agreement)),
      claims_(parties(agreement)),
      returns_(agreement.shape.parties, kReturnsAtOnce, kSecondsPerReturn),
      reports_(agreement.shape.parties, kReportsAtOnce, kSecondsPerReport),
      remarks_(agreement.shape.parties, kRemarksAtOnce, kSecondsPerRemark),
      plan_sent_(parties(agreement), false),
      able_at_(parties(agreement), -1.0),
      board_(agreement),
      policy_(agreement, board_),
      schedule_(agreement, settings.batch_seed),
      box_(agreement, code),
      shares_asked_(parties(agreement), false),
      best_validation_loss_(kNever),
      deadline_(kNever),
      sharing_(agreement),
      reported_(parties(agreement), false),
      share_lateness_(parties(agreement), 0.0),
      share_noted_(parties(agreement), false) {}

Tasks Server::receive(double now, const MessagePtr& message) {
  now_ = now;
  if (!status_) return {};
  const int from = sender_of(*message);
  if (from < 0 || from >= agreement_.shape.parties) return {};
  if (const auto form = check_form(agreement_, arithmetic_, *message); !form) {
    return fault(now, from, form.error().message);
  }
  const bool hello = std::holds_alternative<Hello>(*message);
  if (conduct_[static_cast<std::size_t>(from)].quarantined && !hello) return {};
  // While all are gathered a hello makes no work for others.
  if (settings_.archive != nullptr && phase_ != Phase::kGathering) {
    const bool again = hello && here_[static_cast<std::size_t>(from)];
    if (again && !returns_.pass(now, from, message)) return {};
    // An upload that nobody waits for tells what a report does.
    const auto* upload = std::get_if<Upload>(message.get());
    const bool report = std::holds_alternative<Report>(*message) ||
                        (upload != nullptr && !box_.is_open(upload->revision));
    if (report && !reports_.pass(now, from, message)) return {};
  }
  return take(now, message);
}

Tasks Server::take(double now, const MessagePtr& message) {
  if (phase_ == Phase::kDone) return receive_late(now, *message);
  // Where rows are fetched clients are asked all the time how far they are; where they are pushed,
  // when nothing comes any more.
  const bool pushed = phase_ == Phase::kPreparing && settings_.archive == nullptr;
  if (phase_ == Phase::kGathering || pushed) deadline_ = now + agreement_.dead_after;
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
  if (phase_ == Phase::kPreparing) sharing_.update(client, holdings, now);
  note_saved(client, holdings.saved);
  policy_.update(now, counted ? std::optional(client) : std::nullopt);
  reported_[static_cast<std::size_t>(client)] = true;
}

Tasks Server::after_report(double now, const Report& report) {
  if (phase_ == Phase::kPreparing) return board_.data_complete() ? begin(now) : Tasks{};
  if (phase_ == Phase::kReturning) return {};
  if (phase_ == Phase::kStandingBy && may_go_on()) return train_on(now);
  if (behind_[static_cast<std::size_t>(report.from)]) {
    Tasks tasks = catch_up(now, report.from);
    if (status_ && !behind_[static_cast<std::size_t>(report.from)]) {
      append(tasks, revise_for_returned(now));
    }
    return tasks;
  }
  note_warmup_share_times(now, report.from);
  if (phase_ == Phase::kCollecting &&
      (policy_.all_fresh(round_) || (reports_requested_ && policy_.any_fresh(round_)))) {
    return issue_training_plan(now, VersionPolicy::Choice::kNormal);
  }
  note_able(report.from, now);
  if (holders_settled(now)) return open_now();
  if (phase_ == Phase::kWaiting && reports_requested_) return revise(now);
  return {};
}

// When enough clients could upload: only the news of one that can itself may bring it about.
void Server::note_able(int client, double now) {
  if (phase_ != Phase::kWaiting || able_since_ >= 0 || !may_upload(client)) return;
  if (uploads_possible() >= agreement_.uploads_needed()) able_since_ = now;
}

// A share counts as come when R clients hold it, which a report can only change by what its sender
// holds.
void Server::note_warmup_share_times(double now, int reporter) {
  if (policy_.groups_formed()) return;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    const std::span<const int> sender(&n, 1);
    if (share_noted_[client] || !board_.holds_all(reporter, sender, round_)) continue;
    if (board_.holders(sender, round_) < agreement_.uploads_needed()) continue;
    share_noted_[client] = true;
    share_lateness_[client] += now - step_started_;
  }
}

Tasks Server::take_upload(double now, const MessagePtr& message) {
  const auto& upload = std::get<Upload>(*message);
  if (upload.revision >= revision_) {
    return fault(now, upload.from,
                 fmt::format("{} uploaded for revision {}, which nobody has sent",
                             agreement_.name(upload.from), upload.revision));
  }
  auto& below = uploaded_below_[static_cast<std::size_t>(upload.from)];
  below = std::max(below, upload.revision + 1);
  agreeing_[static_cast<std::size_t>(upload.from)].reset();
  Tasks tasks = declare_alive(now, upload.from);
  note_holdings(now, upload.from, upload.holdings);
  note_able(upload.from, now);
  box_.keep_late(message);
  const auto added = box_.add(message);
  // One that is late is nobody's fault; one that fits the open plan and is wrong is.
  if (!added && box_.is_open(upload.revision)) {
    append(tasks, fault(now, upload.from, added.error().message));
  }
  append(tasks, redeem(now));
  if (!added || phase_ != Phase::kWaiting || !status_) return tasks;
  note_upload_of(now, upload.from);
  if (able_since_ < 0) able_since_ = now;
  if (enough_uploads()) append(tasks, open_if_held(now));
  return tasks;
}

Tasks Server::open_now() {
  phase_ = Phase::kOpening;
  deadline_ = kNever;
  Tasks tasks;
  tasks.push_back(open_task());
  return tasks;
}

Task Server::open_task() {
  const auto samples =
      static_cast<double>(plan_->rows.size() * static_cast<std::size_t>(agreement_.shape.blocks));
  const double decode =
      samples * agreement_.shape.threshold() * static_cast<double>(agreement_.width);
  const double central = 3 * samples * learner_.central().forward_macs_per_row();
  const double macs = plan_->training() ? decode + central : 0;
  return {.macs = macs, .reads_uploads = true, .run = [this] {
            return Effects{.sends = {}, .tasks = open()};
          }};
}

Tasks Server::open() {
  auto tasks = judge_late(now_);
  if (!tasks) return fail(tasks.error().code, tasks.error().message);
  if (box_.count() < agreement_.uploads_needed()) {  // without those found out just now
    phase_ = Phase::kWaiting;
    deadline_ = now_ + deadline_span_;
    return std::move(*tasks);
  }
  box_.close();
  UploadBox::Opened opened;
  if (arithmetic_ == Arithmetic::kReal) {
    auto result = box_.open();
    if (!result) return doubt(now_, result.error());
    opened = std::move(*result);
  }
  doubt_.reset();
  append(*tasks, after_opening(now_, opened));
  return std::move(*tasks);
}

Tasks Server::after_opening(double now, const UploadBox::Opened& opened) {
  plan_open_ = false;
  ++openings_;
  below_since_ = -1;
  if (!opened.wrong.empty()) {
    std::string names;
    for (int n : opened.wrong) names += agreement_.listed(n);
    observer_.on_note(
        fmt::format("round {}: wrong uploads corrected, of clients{} or of senders of "
                    "their shares",
                    round_, names));
  }
  Tasks tasks;
  for (int n : agreement_.correct_uploads ? std::vector<int>{} : opened.wrong) {
    append(tasks, found_wrong(now, n));
  }
  if (!status_) return tasks;
  append(tasks, plan_->training() ? after_round(now, opened) : after_chunk(now, opened));
  return tasks;
}

Tasks Server::after_round(double now, const UploadBox::Opened& opened) {
  learn(now, opened);
  if (!status_) return {};
  if (stop_after_round_) return stop();
  return schedule_.epoch_has_more() ? train_on(now) : next_after_epoch(now);
}

Tasks Server::after_chunk(double now, const UploadBox::Opened& opened) {
  policy_.opened(*plan_, pace_.on_time());
  if (arithmetic_ == Arithmetic::kReal) learner_.predict(*plan_, opened.sums);
  return evaluation_->next < evaluation_->chunks.size() ? next_chunk(now) : finish_evaluation(now);
}

void Server::learn(double now, const UploadBox::Opened& opened) {
  const double uploaded = holders_since_ < 0 ? now : holders_since_;  // by R
  pace_.add(uploaded - step_started_ - vain_wait_, uploaded - able_since_);
  policy_.opened(*plan_, pace_.on_time());
  board_.forget_before(*plan_);
  record_.plan = plan_;
  record_.responders = box_.responders();
  record_.wrong = opened.wrong;
  record_.batch = schedule_.taken();  // the open plan's is the last that was taken
  record_.started = step_started_;
  record_.opened = now;
  note_learning();
  if (suspicious_rounds_ > 0) --suspicious_rounds_;
  learned_round_ = plan_->round;
  if (settings_.archive != nullptr) central_before_ = learner_.central().save();
  if (arithmetic_ == Arithmetic::kReal) {
    auto learned = learner_.learn(*plan_, opened.sums);
    record_.loss = learned.loss;
    if (learned.clipped > 0 && !std::exchange(said_clipped_, true)) {
      observer_.on_note(fmt::format(
          "round {}: {} rows of the gradient were longer than train.gradient_clip = {} and cut to "
          "it; later ones are not reported",
          round_ + 1, learned.clipped, agreement_.gradient_clip));
    }
    if (!std::isfinite(learned.loss)) {
      fail(ErrorCode::kBadJob,
           fmt::format(
               "training diverged: the loss of round {} is no number any more; lower train.lr "
               "or train.lr_client",
               round_ + 1));
    }
    const auto samples = samples_of(agreement_, plan_->part, plan_->rows);
    record_.samples =
        samples.size() - static_cast<std::size_t>(std::ranges::count(samples, model::kPadding));
    recent_gradients_.push_back(std::make_shared<Gradient>(plan_, std::move(learned.gradient)));
  } else {
    recent_gradients_.push_back(std::make_shared<Gradient>(plan_));
  }
  if (recent_gradients_.size() > kRecentGradients) recent_gradients_.pop_front();
  gradient_ = recent_gradients_.back();
  observer_.on_round(record_);
  record_ = {};
  ++round_;
  if (round_ >= static_cast<std::uint64_t>(agreement_.warmup_rounds)) form_groups();
}

// Where clients were in a run over the same rows there is nothing to measure: groups stay.
void Server::adopt_groups() {
  if (policy_.groups_formed() || agreement_.rows[static_cast<int>(data::Part::kTrain)] == 0) return;
  const Groups bound = binding_groups(agreement_, bound_groups_, settings_.groups);
  if (bound.empty()) return;
  policy_.adopt_groups(bound);
  groups_ = std::make_shared<const Groups>(policy_.groups());
  observer_.on_note("these rows were trained on before: the groups are those of then");
  observer_.on_groups(*groups_);
}

void Server::form_groups() {
  if (policy_.groups_formed()) return;
  for (double& seconds : share_lateness_)
    seconds /= static_cast<double>(std::max<std::uint64_t>(round_, 1));
  policy_.form_groups(share_lateness_, pace_.on_time());
  groups_ = std::make_shared<const Groups>(policy_.groups());
  observer_.on_groups(*groups_);
  save_due_ = save_due_ || settings_.archive != nullptr;  // before anybody is told of them
}

}  // namespace fedvs::protocol
