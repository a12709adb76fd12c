#include "fedvs/experiments/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "fedvs/job/presets.h"
#include "fedvs/job/print.h"

namespace fedvs::experiments {
namespace {

struct Measured {
  std::string_view data;
  int clients;
  double start;  // of the program, and reading the rows
  // An epoch's: fedvs and fedvs-paper; wait and ignore; wait-dp, whose noise takes more than the
  // learning; vafl, with a central step per client and round.
  double coded, plain, noisy, vafl;
};
constexpr std::array<Measured, 6> kMeasured{{
    {"fashion-mnist", 28, 2, 2, 0.8, 4.5, 13},
    {"emnist", 28, 3, 5, 2.5, 9, 30},
    {"handwritten", 6, 1, 0.08, 0.02, 0.04, 0.04},
    {"caltech7", 6, 1.5, 0.8, 0.2, 0.25, 0.2},
    {"credit-card", 11, 1, 0.6, 0.3, 1, 1.5},
    {"parkinson", 10, 1, 0.1, 0.02, 0.03, 0.04},
}};
constexpr Measured kOther{"", 10, 1, 0.2, 0.1, 0.5, 0.5};
constexpr double kVggEpoch = 45, kConvolutionEpoch = 5;
constexpr double kConcat = 3;  // N times the inputs of the central model

Measured measured(std::string_view data) {
  const auto* found = std::ranges::find(kMeasured, data, &Measured::data);
  return found == kMeasured.end() ? kOther : *found;
}

double epoch_seconds(const Job& job, const Measured& m) {
  const int clients = job.data.clients > 0 ? job.data.clients : m.clients;
  double seconds = m.plain;
  if (is_coded(job)) seconds = m.coded;
  if (job.method == Method::kWaitDp) seconds = m.noisy;
  if (job.method == Method::kVafl) seconds = m.vafl * clients / m.clients;
  if (job.model.aggregation == Aggregation::kConcat) seconds *= kConcat;
  if (job.model.central == "vgg13") seconds += kVggEpoch;
  if (job.model.client == "cnn") seconds += kConvolutionEpoch * job.model.degrees.front();
  return seconds;
}

}  // namespace

double expected_seconds(const Job& job) {
  const Measured m = measured(job.data.name);
  return m.start + job.train.epochs * epoch_seconds(job, m);
}

Trial make_trial(Job job) {
  constexpr std::size_t kDigits = 8;  // of the digest
  std::string name = fmt::format("{}-{}-seed{}-{}", job.data.name, word(job.method), job.sim.seed,
                                 digest(job).substr(0, kDigits));
  const double seconds = expected_seconds(job);
  return {std::move(name), std::move(job), seconds};
}

}  // namespace fedvs::experiments
