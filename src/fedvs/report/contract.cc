#include "fedvs/report/contract.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace fedvs::report {
namespace {

using nlohmann::json;

// Nine digits are more than a chart shows, and half of what a double prints with.
json brief(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr);
}

json brief(const std::vector<double>& values) {
  json list = json::array();
  for (double value : values) list.push_back(brief(value));
  return list;
}

json json_of(const Axis&);
json json_of(const Series&);
json json_of(const Chart&);
json json_of(const Table&);
json json_of(const TimelineRound&);
json json_of(const Timeline&);
json json_of(const Section&);
json json_of(const Settings&);

template <class T>
json list_of(const std::vector<T>& values) {
  json list = json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

json json_of(const Axis& axis) { return {{"key", axis.key}, {"label", axis.label}}; }

json json_of(const Curve& curve) {
  return {{"x", brief(curve.x)},
          {"mean", brief(curve.mean)},
          {"low", brief(curve.low)},
          {"high", brief(curve.high)}};
}

json json_of(const Series& series) {
  json curves = json::object();
  for (const auto& [key, curve] : series.curves) curves[key] = json_of(curve);
  return {{"name", series.name}, {"curves", curves}};
}

json json_of(const Chart& chart) {
  json made = {{"id", chart.id},
               {"title", chart.title},
               {"y", chart.y},
               {"axes", list_of(chart.axes)},
               {"series", list_of(chart.series)}};
  if (!chart.note.empty()) made["note"] = chart.note;
  return made;
}

json json_of(const Table& table) {
  return {{"caption", table.caption}, {"columns", table.columns}, {"rows", table.rows}};
}

json json_of(const TimelineRound& round) {
  return {{"round", round.round},       {"start", brief(round.start)}, {"end", brief(round.end)},
          {"answered", round.answered}, {"late", round.late},          {"ages", round.ages}};
}

json json_of(const Timeline& timeline) {
  return {{"title", timeline.title},
          {"clients", timeline.clients},
          {"rounds", list_of(timeline.rounds)}};
}

json json_of(const Section& section) {
  return {{"title", section.title},
          {"text", section.text},
          {"charts", list_of(section.charts)},
          {"tables", list_of(section.tables)},
          {"timelines", list_of(section.timelines)}};
}

json json_of(const Settings& settings) {
  return {{"name", settings.name}, {"text", settings.text}};
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kRun:
      return "run";
    case Kind::kComparison:
      return "comparison";
    case Kind::kReproduction:
      return "reproduction";
  }
  return "";
}

}  // namespace

json to_json(const Report& report) {
  return {{"format", kFormat},
          {"title", report.title},
          {"summary", report.summary},
          {"kind", name_of(report.kind)},
          {"made", report.made},
          {"version", report.version},
          {"commit", report.commit},
          {"machine", report.machine},
          {"sections", list_of(report.sections)},
          {"settings", list_of(report.settings)}};
}

}  // namespace fedvs::report
