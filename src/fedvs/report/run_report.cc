#include "fedvs/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fedvs/base/files.h"
#include "fedvs/report/run_charts.h"
#include "fedvs/report/run_rounds.h"
#include "fedvs/run/events.h"
#include "fedvs/run/run_folder.h"

namespace fedvs::report {
namespace {

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double megabytes(const run::MetricsRow& row) {
  return static_cast<double>(row.bytes_per_client) / 1e6;
}

// The evaluation of the models that the run kept: summary.json says where that is not the last.
run::MetricsRow kept_row(const Metrics& metrics, const std::filesystem::path& run) {
  const auto text = read_file(run / "summary.json");
  const auto said = nlohmann::json::parse(text ? *text : "", nullptr, /*allow_exceptions=*/false);
  if (!said.is_object() || !said.contains("kept_epoch")) return metrics.back();
  const auto found = std::ranges::find_if(
      metrics, [&](const auto& row) { return said["kept_epoch"] == row.epoch; });
  return found == metrics.end() ? metrics.back() : *found;
}

std::string summary(const Metrics& metrics, const RunRounds& rounds, std::int64_t kept_epoch) {
  if (metrics.empty()) return fmt::format("{} rounds so far, not evaluated yet.", rounds.rounds);
  const auto& last = metrics.back();
  const auto& kept = *std::ranges::find(metrics, kept_epoch, &run::MetricsRow::epoch);
  return fmt::format(
      "{:.2f} % test accuracy after {} epoch{}{}: {} rounds, {:.1f} s of virtual time, {:.1f} MB "
      "per client.",
      100 * kept.test_accuracy, kept.epoch, kept.epoch == 1 ? "" : "s",
      kept.epoch == last.epoch
          ? ""
          : fmt::format(" of {}, those with the lowest validation loss", last.epoch),
      last.round, last.virtual_seconds, megabytes(last));
}

void add_row(Table& table, const char* name, double value, const char* format) {
  if (!std::isnan(value)) table.rows.push_back({name, fmt::format(fmt::runtime(format), value)});
}

Table metrics_table(const Metrics& metrics, const run::MetricsRow& kept) {
  const auto& last = metrics.back();
  Table table{.caption = kept.epoch == last.epoch
                             ? "At the last evaluation"
                             : fmt::format("Of the model that was kept, of epoch {}", kept.epoch),
              .columns = {"figure", "value"},
              .rows = {}};
  add_row(table, "test accuracy", 100 * kept.test_accuracy, "{:.2f} %");
  add_row(table, "best test accuracy", 100 * best_test_accuracy(metrics), "{:.2f} %");
  add_row(table, "always the commonest class", 100 * kept.majority, "{:.2f} %");
  add_row(table, "balanced accuracy", kept.test_balanced_accuracy, "{:.4f}");
  add_row(table, "F1", kept.test_f1, "{:.4f}");
  add_row(table, "AUC", kept.test_auc, "{:.4f}");
  add_row(table, "test loss", kept.test_loss, "{:.4f}");
  add_row(table, "virtual time", last.virtual_seconds, "{:.1f} s");
  add_row(table, "computing on one machine", last.wall_seconds, "{:.1f} s");
  add_row(table, "sent and received per client", megabytes(last), "{:.1f} MB");
  return table;
}

Table rounds_table(const RunRounds& rounds) {
  const auto number = [](std::size_t count) { return std::to_string(count); };
  const std::size_t uploads = rounds.uploads_used + rounds.uploads_late;
  return {.caption = "Over all rounds",
          .columns = {"figure", "value"},
          .rows = {{"rounds", number(rounds.rounds)},
                   {"uploads not waited for",
                    fmt::format("{:.1f} %", percent(rounds.uploads_late, uploads))},
                   {"models used that were older than the round",
                    fmt::format("{:.1f} %", percent(rounds.models_reused, rounds.models_used))},
                   {"plans revised", number(rounds.plans_revised)}}};
}

Section learning_section(const Metrics& metrics, const run::MetricsRow& kept) {
  Section section;
  section.title = "What it learned";
  if (metrics.empty()) {
    section.text = {"This run has not been evaluated yet."};
    return section;
  }
  section.text = {"Evaluated on rows that were not trained on, with all clients' models."};
  section.charts = {accuracy_chart(metrics), loss_chart(metrics)};
  section.tables = {metrics_table(metrics, kept)};
  return section;
}

Section straggler_section(const Job& job, RunRounds rounds) {
  Section section;
  section.title = "Who answered, who was late";
  section.text = {"Whose uploads each round used, in virtual time, and whose it did not wait for."};
  if (job.protocol.late_models == LateModels::kReuse && rounds.models_reused > 0) {
    section.text.push_back(
        "For a client whose newest model the others did not hold in time, a round used an older "
        "one.");
  }
  section.tables = {rounds_table(rounds)};
  if (!rounds.timeline.rounds.empty()) section.timelines = {std::move(rounds.timeline)};
  return section;
}

Section notes_section(Table notes) {
  Section section;
  section.title = "What happened between";
  section.tables = {std::move(notes)};
  return section;
}

}  // namespace

Result<Report> report_of_run(const std::filesystem::path& run_folder) {
  FEDVS_TRY(const auto run, run::RunFolder::open(run_folder));
  FEDVS_TRY(const auto metrics, run::read_metrics(run.metrics_file()));
  FEDVS_TRY(const auto events, run::read_events(run.events_file()));
  FEDVS_TRY(RunRounds rounds,
            read_rounds(events, run.job().data.clients, run.events_file().string()));
  FEDVS_TRY(std::string job_text, read_file(run.job_file()));
  Report report;
  report.title = fmt::format("{} on {}", word(run.job().method), run.job().data.name);
  const auto kept = metrics.empty() ? run::MetricsRow{} : kept_row(metrics, run_folder);
  report.summary = summary(metrics, rounds, kept.epoch);
  report.kind = Kind::kRun;
  report.sections.push_back(learning_section(metrics, kept));
  Table notes = std::move(rounds.notes);
  report.sections.push_back(straggler_section(run.job(), std::move(rounds)));
  if (!notes.rows.empty()) report.sections.push_back(notes_section(std::move(notes)));
  report.settings = {{"job.toml", std::move(job_text)}};
  return report;
}

}  // namespace fedvs::report
