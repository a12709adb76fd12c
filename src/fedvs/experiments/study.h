// What a study consists of: figures of panels, panels of lines, a line of one run per seed; and the
// trials that it takes.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/experiments/trial.h"

namespace fedvs::experiments {

struct Line {  // of a chart, and a row of its table
  std::string name;
  std::vector<std::string> runs;  // names of trials, one per seed
};
struct Panel {  // a chart and a table
  std::string id, title;
  std::vector<Line> lines;
};
struct Figure {
  std::string key, title;  // "fig2"
  std::vector<Panel> panels;
};
struct Study {
  std::string kind;  // comparison | reproduction
  std::string title;
  std::vector<Figure> figures;
};

nlohmann::json to_json(const Study& study);
Result<Study> study_from(const nlohmann::json& json);  // kCorrupt

struct Plan {
  Study study;
  std::vector<Trial> trials;  // every job once
  std::string note;           // for the reader, before anything runs; or empty

  void add_run(Line& line, Job job);
  double seconds() const;  // expected, on one core
};

}  // namespace fedvs::experiments
