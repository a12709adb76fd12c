// The checkpoint of a run as the program writes it: the world's parts, the totals, and what new
// rows need before a trained run can score them.
#pragma once
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/data_digest.h"
#include "fedvs/data/prepared.h"
#include "fedvs/run/recorder.h"
#include "fedvs/run/run_folder.h"
#include "fedvs/sim/trial.h"

namespace fedvs::run {

// How the clients standardise their columns. Each client's part stays with that client.
struct Preparation {
  std::vector<data::Standardiser> standardisers;
  std::vector<std::string> columns, class_names;
  std::vector<std::vector<std::size_t>> client_columns;
  int classes = 0;

  static Preparation of(const data::PreparedJob& prepared);
  std::string save() const;
  static Result<Preparation> parse(const std::string& bytes);
};

struct SavedRun {
  sim::Trial::Parts parts;
  sim::Trial::Parts kept;  // the models to predict with, where they are not those of `parts`
  RunTotals totals;
  Preparation preparation;
  std::optional<data::DataDigest> data;  // none: written by an earlier version
};
// The models among the parts of a trial.
sim::Trial::Parts models_of(const sim::Trial::Parts& parts);
Status save_run(const RunFolder& folder, const SavedRun& run);
Result<SavedRun> load_run(const RunFolder& folder);

}  // namespace fedvs::run
