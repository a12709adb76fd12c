#include "fedvs/job/presets.h"

#include <algorithm>
#include <array>

namespace fedvs {
namespace {

struct Training {
  std::string_view optimizer;  // both sides
  double lr, lr_client;
  int batch_size, epochs;
  double weight_decay = 0, lr_decay = 1;
  std::array<int, 2> hidden = {128, 64};
  double init_scale = 1;
};
struct DataPreset {
  std::string_view data;
  int degree;
  std::string_view central;
  Training tuned, paper;
};

// The paper's appendix has rates, batch sizes, degrees and central models, one rate for both sides;
// it trains by plain SGD and does not say for how long.
constexpr std::array<DataPreset, 6> kPresets{{
    {.data = "fashion-mnist",
     .degree = 1,
     .central = "mlp",
     .tuned = {"adam", .003, .005, 256, 15, .01, .85, {256, 128}, 2},
     .paper = {"sgd", .05, .05, 256, 20}},
    {.data = "emnist",
     .degree = 2,
     .central = "mlp",
     .tuned = {"adam", .005, .005, 512, 12, .01, .85, {256, 128}},
     .paper = {"sgd", .05, .05, 256, 15}},
    {.data = "handwritten",
     .degree = 2,
     .central = "mlp",
     .tuned = {"adam", .003, .01, 64, 20, 1, .9},
     .paper = {"sgd", .02, .02, 32, 40}},
    {.data = "caltech7",
     .degree = 2,
     .central = "mlp",
     .tuned = {"adam", .003, .001, 128, 15, .01, .9},
     .paper = {"sgd", .01, .01, 8, 40}},
    {.data = "credit-card",
     .degree = 2,
     .central = "credit",
     .tuned = {"adam", .01, .01, 1024, 8, .01, .6, {64, 32}},
     .paper = {"sgd", .01, .01, 32, 20}},
    {.data = "parkinson",
     .degree = 2,
     .central = "mlp-binary",
     .tuned = {"adam", .0005, .002, 64, 60, 10, .95},
     .paper = {"sgd", .005, .005, 16, 30}},
}};

const DataPreset* find_preset(std::string_view data) {
  const auto* found = std::ranges::find(kPresets, data, &DataPreset::data);
  return found == kPresets.end() ? nullptr : found;
}

}  // namespace

bool has_paper_preset(std::string_view data_name) { return find_preset(data_name) != nullptr; }

void apply_preset(Job& job) {
  const DataPreset* preset = find_preset(job.data.name);
  if (preset == nullptr) return;
  const Training& training = job.preset == Preset::kPaper ? preset->paper : preset->tuned;
  job.model.degrees = {preset->degree};
  job.model.central = preset->central;
  job.train.optimizer = job.train.client_optimizer = training.optimizer;
  job.train.lr = training.lr;
  job.train.lr_client = training.lr_client;
  job.train.batch_size = training.batch_size;
  job.train.epochs = training.epochs;
  job.train.weight_decay = training.weight_decay;
  job.train.lr_decay = training.lr_decay;
  job.model.init_scale = training.init_scale;
  job.model.hidden.assign(training.hidden.begin(), training.hidden.end());
}

bool is_coded(const Job& job) {
  return job.method == Method::kFedvs || job.method == Method::kFedvsPaper;
}

void apply_method(Job& job) {
  if (job.method != Method::kFedvsPaper) return;
  job.protocol.opening = OpeningKind::kPaper;
  job.protocol.late_models = LateModels::kWait;
  job.code.ring = "m31";
}

}  // namespace fedvs
