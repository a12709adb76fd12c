#include "fedvs/run/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "fedvs/base/bytes.h"
#include "fedvs/base/human.h"

namespace fedvs::run {

using nlohmann::json;

namespace {

void save_best(ByteWriter& out, const BestEpoch& best) {
  out.number(best.epoch);
  const auto& m = best.test;
  for (double x : {best.validation_loss, m.loss, m.accuracy, m.balanced_accuracy, m.f1, m.majority})
    out.number(x);
  out.flag(m.auc.has_value());
  if (m.auc) out.number(*m.auc);
}

Result<BestEpoch> parse_best(ByteReader& in) {
  BestEpoch best;
  FEDVS_TRY(best.epoch, in.number<int>());
  auto& m = best.test;
  for (double* x :
       {&best.validation_loss, &m.loss, &m.accuracy, &m.balanced_accuracy, &m.f1, &m.majority}) {
    FEDVS_TRY(*x, in.number<double>());
  }
  FEDVS_TRY(const bool has_auc, in.flag());
  if (has_auc) {
    FEDVS_TRY(m.auc, in.number<double>());
  }
  return best;
}

// In rounds, per client; -1: left out.
std::vector<int> ages_of(std::span<const std::optional<protocol::Version>> versions,
                         std::uint64_t round) {
  std::vector<int> ages;
  for (const auto& version : versions) {
    ages.push_back(version ? static_cast<int>(round - version->step) : -1);
  }
  return ages;
}

}  // namespace

std::string RunTotals::save() const {
  ByteWriter out;
  for (std::uint64_t n :
       {rounds, loss_rounds, late_uploads, reused_models, named_models, revisions, idle_rounds}) {
    out.number(n);
  }
  for (double x : {loss_sum, wall_seconds, wait_for_all_seconds, test_accuracy, best_test_accuracy,
                   majority}) {
    out.number(x);
  }
  out.flag(finished);
  out.flag(best.has_value());
  if (best) save_best(out, *best);
  return out.take();
}

Result<RunTotals> RunTotals::parse(const std::string& bytes) {
  RunTotals t;
  ByteReader in(bytes);
  for (std::uint64_t* n : {&t.rounds, &t.loss_rounds, &t.late_uploads, &t.reused_models,
                           &t.named_models, &t.revisions, &t.idle_rounds}) {
    FEDVS_TRY(*n, in.number<std::uint64_t>());
  }
  for (double* x : {&t.loss_sum, &t.wall_seconds, &t.wait_for_all_seconds, &t.test_accuracy,
                    &t.best_test_accuracy, &t.majority}) {
    FEDVS_TRY(*x, in.number<double>());
  }
  FEDVS_TRY(t.finished, in.flag());
  if (in.left() == 0) return t;  // of an earlier version
  FEDVS_TRY(const bool has_best, in.flag());
  if (has_best) {
    FEDVS_TRY(t.best, parse_best(in));
  }
  FEDVS_TRY_STATUS(in.finish());
  return t;
}

void Recorder::attach(const protocol::RunView& run, EventLog events, MetricsLog metrics) {
  run_ = &run;
  events_.emplace(std::move(events));
  metrics_.emplace(std::move(metrics));
}

void Recorder::keep(Status status) {
  if (status_ && !status) status_ = std::move(status);
}

double Recorder::wall_seconds() const {
  const auto since = std::chrono::steady_clock::now() - started_;
  return totals_.wall_seconds + std::chrono::duration<double>(since).count();
}

json Recorder::round_event(const protocol::RoundRecord& record) const {
  std::vector<int> answered, late, wrong;
  for (int n : record.responders) answered.push_back(n + 1);
  for (int n : record.wrong) wrong.push_back(n + 1);
  for (int n = 0; n < run_->client_count(); ++n) {
    if (std::ranges::find(record.responders, n) == record.responders.end()) late.push_back(n + 1);
  }
  return {{"event", "round"},
          {"round", record.plan->round + 1},
          {"epoch", record.plan->epoch + 1},
          {"revision", record.plan->revision},
          {"abandoned", record.abandoned},
          {"batch", record.batch},
          {"started", run_->training_seconds(record.started)},
          {"time", run_->training_seconds(record.opened)},
          {"answered", answered},
          {"late", late},
          {"wrong", wrong},
          {"idle", record.idle},
          {"model_age", ages_of(record.plan->versions, record.plan->round)},
          {"samples", record.samples},
          {"bytes_per_client", run_->bytes_per_client()},
          {"loss", record.loss}};
}

void Recorder::on_round(const protocol::RoundRecord& record) {
  totals_.rounds = record.plan->round + 1;
  totals_.loss_sum += record.loss;
  ++totals_.loss_rounds;
  totals_.wait_for_all_seconds += run_->wait_for_all(record.plan->round, record.samples);
  totals_.revisions += static_cast<std::uint64_t>(record.abandoned);
  totals_.idle_rounds += record.idle ? 1 : 0;
  totals_.late_uploads += static_cast<std::size_t>(run_->client_count()) - record.responders.size();
  for (const auto& version : record.plan->versions) {
    if (!version) continue;
    ++totals_.named_models;
    if (version->step < record.plan->round) ++totals_.reused_models;
  }
  keep(events_->append(round_event(record)));
  round_ended_ = true;
  show(record);
}

void Recorder::show(const protocol::RoundRecord& record) {
  const double total = static_cast<double>(run_->rounds_per_epoch()) * run_->epochs();
  progress_.show({.done = std::min(1.0, static_cast<double>(totals_.rounds) / total),
                  .epoch = record.plan->epoch + 1,
                  .epochs = run_->epochs(),
                  .round = totals_.rounds,
                  .loss = totals_.loss_sum / static_cast<double>(totals_.loss_rounds),
                  .accuracy = test_ ? test_->accuracy : -1,
                  .virtual_seconds = run_->training_seconds(record.opened),
                  .late = run_->client_count() - static_cast<int>(record.responders.size()),
                  .clients = run_->client_count()});
}

void Recorder::on_evaluation(const protocol::EvaluationRecord& record) {
  const auto& m = record.metrics;
  const bool is_test = record.part == data::Part::kTest;
  const double at = run_->training_seconds(record.at);
  keep(events_->append({{"event", is_test ? "test" : "validation"},
                        {"round", record.round},
                        {"epoch", record.epoch},
                        {"time", at},
                        {"model_age", ages_of(record.versions, record.round)},
                        {"loss", m.loss},
                        {"accuracy", m.accuracy},
                        {"balanced_accuracy", m.balanced_accuracy},
                        {"f1", m.f1},
                        {"majority", m.majority}}));
  if (!is_test) {
    validation_ = m;
    return;
  }
  test_ = m;
  epoch_ = record.epoch;
  MetricsRow row{.epoch = record.epoch,
                 .round = static_cast<std::int64_t>(record.round),
                 .virtual_seconds = at,
                 .wall_seconds = wall_seconds(),
                 .train_loss = totals_.loss_sum /
                               static_cast<double>(std::max<std::uint64_t>(totals_.loss_rounds, 1)),
                 .test_loss = m.loss,
                 .test_accuracy = m.accuracy,
                 .test_balanced_accuracy = m.balanced_accuracy,
                 .test_f1 = m.f1,
                 .majority = m.majority,
                 .bytes_per_client = static_cast<std::int64_t>(run_->bytes_per_client())};
  if (m.auc) row.test_auc = *m.auc;
  if (validation_) {
    row.validation_loss = validation_->loss;
    row.validation_accuracy = validation_->accuracy;
  }
  keep(metrics_->append(row));
  totals_.test_accuracy = m.accuracy;
  totals_.best_test_accuracy = std::max(totals_.best_test_accuracy, m.accuracy);
  totals_.majority = m.majority;
  progress_.line(fmt::format("epoch {:>3}  loss {:.4f}  test accuracy {:.2f} %  {} {}",
                             record.epoch, row.train_loss, 100 * m.accuracy, progress_.clock(),
                             human_seconds(at)));
  totals_.loss_sum = 0;
  totals_.loss_rounds = 0;
  epoch_ended_ = true;
  note_best(record);
}

// The test follows the validation of the same models.
void Recorder::note_best(const protocol::EvaluationRecord& test) {
  if (!validation_) return;
  if (totals_.best && !(validation_->loss < totals_.best->validation_loss)) return;
  totals_.best = {.epoch = test.epoch, .validation_loss = validation_->loss, .test = test.metrics};
  best_ended_ = true;
}

void Recorder::on_groups(const protocol::Groups& groups) {
  json numbered = json::array();
  for (const auto& group : groups) {
    json members = json::array();
    for (int n : group) members.push_back(n + 1);
    numbered.push_back(members);
  }
  if (events_) {
    keep(events_->append({{"event", "groups"}, {"round", totals_.rounds}, {"groups", numbered}}));
  }
}

void Recorder::on_note(const std::string& note) {
  if (events_) {
    keep(events_->append({{"event", "note"}, {"round", totals_.rounds}, {"text", note}}));
  }
}

}  // namespace fedvs::run
