#include "fedvs/experiments/compute_dominant.h"

#include "fedvs/data/catalog.h"
#include "fedvs/job/parse.h"
#include "fedvs/sim/delays.h"

namespace fedvs::experiments {

double compute_dominant_gmacs() {
  constexpr double kTimesTheDelay = 10;
  const Job job = complete_job({.toml = {}, .sets = {"data.name=fashion-mnist"}}).value();
  const auto entry = data::find_entry(job.data.name).value();
  const auto rows = static_cast<std::size_t>(job.train.batch_size);
  const sim::Delays delays(job.sim, entry.clients, rows);
  double mean_delay = 0;
  for (int n = 0; n < entry.clients; ++n) mean_delay += delays.mean(n) / entry.clients;
  const double inputs = static_cast<double>(entry.features) * job.model.degrees.front() +
                        entry.clients;  // a 1 for the bias of each
  const double work = static_cast<double>(rows) * inputs * job.model.width;
  return work / (kTimesTheDelay * mean_delay) / 1e9;
}

}  // namespace fedvs::experiments
