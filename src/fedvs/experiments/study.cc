#include "fedvs/experiments/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fedvs::experiments {

using nlohmann::json;

void to_json(json& j, const Line& line) { j = {{"name", line.name}, {"runs", line.runs}}; }
void to_json(json& j, const Panel& panel) {
  j = {{"id", panel.id}, {"title", panel.title}, {"lines", panel.lines}};
}
void to_json(json& j, const Figure& figure) {
  j = {{"key", figure.key}, {"title", figure.title}, {"panels", figure.panels}};
}

void from_json(const json& j, Line& line) {
  j.at("name").get_to(line.name);
  j.at("runs").get_to(line.runs);
}
void from_json(const json& j, Panel& panel) {
  j.at("id").get_to(panel.id);
  j.at("title").get_to(panel.title);
  j.at("lines").get_to(panel.lines);
}
void from_json(const json& j, Figure& figure) {
  j.at("key").get_to(figure.key);
  j.at("title").get_to(figure.title);
  j.at("panels").get_to(figure.panels);
}

json to_json(const Study& study) {
  return {{"kind", study.kind}, {"title", study.title}, {"figures", study.figures}};
}

Result<Study> study_from(const json& j) {
  try {
    Study study;
    j.at("kind").get_to(study.kind);
    j.at("title").get_to(study.title);
    j.at("figures").get_to(study.figures);
    return study;
  } catch (const json::exception& exception) {
    return Error{ErrorCode::kCorrupt, exception.what()};
  }
}

void Plan::add_run(Line& line, Job job) {
  Trial trial = make_trial(std::move(job));
  line.runs.push_back(trial.name);
  if (std::ranges::find(trials, trial.name, &Trial::name) == trials.end()) {
    trials.push_back(std::move(trial));
  }
}

double Plan::seconds() const {
  double sum = 0;
  for (const auto& trial : trials) sum += trial.seconds;
  return sum;
}

}  // namespace fedvs::experiments
