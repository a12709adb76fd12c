// What a report page says: sections of paragraphs, charts, tables and timelines. Whoever has
// results fills in these structs; html.h makes the page, figure.h the figures for a paper.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace fedvs::report {

// All four of one length, x rising. NaN: not measured.
struct Curve {
  std::vector<double> x, mean, low, high;
};

struct Series {
  std::string name;                     // a method's name gives it that method's colour
  std::map<std::string, Curve> curves;  // by Axis::key; a missing one is not drawn on that axis
};

struct Axis {
  std::string key;    // "time", "rounds", "bytes": the page switches all charts by it
  std::string label;  // "virtual time, s"
};

struct Chart {
  std::string id;  // unique on the page; also the name of a saved file
  std::string title;
  std::string y;     // "test accuracy, %"
  std::string note;  // below the chart, such as what the shade means; empty: the page's own words
  std::vector<Axis> axes;  // the first is shown first
  std::vector<Series> series;
};

struct Table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // a first cell that names a series gets its mark
};

struct TimelineRound {
  long round = 0;
  double start = 0, end = 0;  // virtual seconds
  std::vector<int> answered;  // clients from 1, in order of arrival: their uploads opened the round
  std::vector<int> late;      // the others
  std::vector<int> ages;      // per client, rounds; -1: its model was not used. May be empty
};

struct Timeline {
  std::string title;
  int clients = 0;
  std::vector<TimelineRound> rounds;
};

struct Section {
  std::string title;
  std::vector<std::string> text;  // paragraphs
  std::vector<Chart> charts;
  std::vector<Table> tables;
  std::vector<Timeline> timelines;
};

struct Settings {
  std::string name;  // "job.toml"
  std::string text;
};

enum class Kind { kRun, kComparison, kReproduction };

struct Report {
  std::string title;
  std::string summary;  // what it says in one line
  Kind kind = Kind::kRun;
  std::string made;  // "2026-11-16T02:20:00Z"; this and the next three are left out where empty
  std::string version, commit, machine;
  std::vector<Section> sections;
  std::vector<Settings> settings;
};

}  // namespace fedvs::report
