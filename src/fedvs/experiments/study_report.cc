#include "fedvs/experiments/study_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fedvs/base/files.h"
#include "fedvs/experiments/figures.h"
#include "fedvs/experiments/outcome_table.h"
#include "fedvs/experiments/table1.h"
#include "fedvs/experiments/timelines.h"
#include "fedvs/experiments/verdicts.h"

namespace fedvs::experiments {
namespace {

const std::vector<std::string> kReferences = {"wait", "fedvs-paper", "no stragglers", "K = 1",
                                              "T = 1"};

report::Chart chart_of(const PanelOutcome& panel) {
  report::Chart chart{.id = panel.id,
                      .title = panel.title,
                      .y = "test accuracy, %",
                      .note = "",
                      .axes = report::run_axes(),
                      .series = {}};
  for (const auto& line : panel.lines) {
    if (line.seeds.empty()) continue;
    chart.series.push_back(report::series_of(
        line.name, line.seeds, [](const auto& row) { return 100 * row.test_accuracy; }));
  }
  return chart;
}

std::string missing_runs(const PanelOutcome& panel) {
  std::size_t ended = 0, wanted = 0;
  for (const auto& line : panel.lines) {
    ended += line.seeds.size();
    wanted += line.wanted;
  }
  if (ended == wanted) return {};
  return fmt::format("{} of {} runs have ended; the page shows those.", ended, wanted);
}

report::Section section_of(const PanelOutcome& panel) {
  report::Section section;
  section.title = panel.title;
  if (auto text = missing_runs(panel); !text.empty()) section.text.push_back(std::move(text));
  section.charts = {chart_of(panel)};
  if (panel.id == "table1") section.tables.push_back(table1_beside_paper(panel.lines));
  section.tables.push_back(outcome_table(panel.lines, kReferences));
  return section;
}

Result<std::vector<PanelOutcome>> read_panels(const Folder& folder, const Figure& figure) {
  std::vector<PanelOutcome> panels;
  for (const auto& panel : figure.panels) {
    FEDVS_TRY(auto lines, read_outcomes(folder, panel));
    panels.push_back({panel.id, panel.title, std::move(lines)});
  }
  return panels;
}

// The job of one run of every line.
Result<std::vector<report::Settings>> settings_of(const Folder& folder,
                                                  const std::vector<PanelOutcome>& panels) {
  std::vector<report::Settings> all;
  for (const auto& panel : panels) {
    for (const auto& line : panel.lines) {
      if (line.first_run.empty()) continue;
      FEDVS_TRY(std::string text, read_file(folder.run(line.first_run) / "job.toml"));
      all.push_back({fmt::format("{}, {}: job.toml", panel.title, line.name), std::move(text)});
    }
  }
  return all;
}

Result<report::Section> timeline_section(const Folder& folder, const std::vector<Outcome>& lines) {
  report::Section section;
  section.title = "Who answered, who was late";
  section.text = {"One run of every method, on the same delays."};
  std::vector<const Outcome*> ended;
  for (const auto& line : lines) {
    if (!line.first_run.empty()) ended.push_back(&line);
  }
  FEDVS_TRY(section.timelines, timelines_of(folder, ended));
  return section;
}

std::string best_line(const PanelOutcome& panel) {
  const Outcome *ours = find(panel.lines, "fedvs"), *wait = find(panel.lines, "wait");
  if (ours == nullptr || wait == nullptr) return {};
  const auto speed = speed_up(*ours, *wait, best_accuracy(panel.lines));
  if (!speed) return {};
  return fmt::format(
      "fedvs ends at {:.2f} %, wait at {:.2f} %; fedvs is {:.3g} times as fast to {:.0f} % of the "
      "best accuracy.",
      100 * end_accuracy(*ours).mean, 100 * end_accuracy(*wait).mean, speed->times,
      100 * speed->share);
}

Origins origins_of(const std::vector<PanelOutcome>& panels) {
  Origins all;
  for (const auto& panel : panels) {
    for (const auto& line : panel.lines) all.insert(line.origins.begin(), line.origins.end());
  }
  return all;
}

void add_origins(report::Report& page, const Origins& origins) {
  if (origins.empty()) return;
  if (const auto mixture = mixture_of(origins); !mixture.empty()) {
    page.summary += (page.summary.empty() ? "" : " ") + mixture;
  }
  page.sections.push_back(origin_section(origins));
}

report::Section verdict_section(const Figure& figure, const std::vector<PanelOutcome>& panels) {
  report::Section section;
  section.title = figure.title;
  section.text = {how_it_is_done(figure.key)};
  section.tables = {verdict_table(verdicts_of(figure.key, panels))};
  return section;
}

}  // namespace

Result<report::Report> comparison_report(const Folder& folder, const Study& study) {
  report::Report page;
  page.title = study.title;
  page.kind = report::Kind::kComparison;
  Origins origins;
  for (const auto& figure : study.figures) {
    FEDVS_TRY(const auto panels, read_panels(folder, figure));
    for (const auto& panel : panels) {
      page.sections.push_back(section_of(panel));
      page.summary = best_line(panel);
      FEDVS_TRY(auto timelines, timeline_section(folder, panel.lines));
      page.sections.push_back(std::move(timelines));
    }
    origins.merge(origins_of(panels));
    FEDVS_TRY(page.settings, settings_of(folder, panels));
  }
  add_origins(page, origins);
  return page;
}

Result<report::Report> figure_report(const Folder& folder, const Figure& figure) {
  report::Report page;
  page.title = figure.title;
  page.kind = report::Kind::kReproduction;
  FEDVS_TRY(const auto panels, read_panels(folder, figure));
  page.sections.push_back(verdict_section(figure, panels));
  page.sections.back().title = "The paper's claims";
  for (const auto& panel : panels) {
    page.sections.push_back(section_of(panel));
    FEDVS_TRY(page.sections.back().timelines, timelines_of(folder, lines_with_timelines(panel)));
  }
  add_origins(page, origins_of(panels));
  FEDVS_TRY(page.settings, settings_of(folder, panels));
  return page;
}

Result<report::Report> reproduction_report(const Folder& folder, const Study& study) {
  report::Report page;
  page.title = study.title;
  page.summary =
      "Every figure and table of the paper; <figure>/report.html has each with its settings.";
  page.kind = report::Kind::kReproduction;
  Origins origins;
  for (const auto& figure : study.figures) {
    FEDVS_TRY(const auto panels, read_panels(folder, figure));
    auto section = verdict_section(figure, panels);
    for (const auto& panel : panels) {
      section.charts.push_back(chart_of(panel));
      if (panel.id == "table1") section.tables.push_back(table1_beside_paper(panel.lines));
    }
    page.sections.push_back(std::move(section));
    origins.merge(origins_of(panels));
  }
  add_origins(page, origins);
  return page;
}

}  // namespace fedvs::experiments
