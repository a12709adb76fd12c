#include <fmt/format.h>

#include "fedvs/base/thread_pool.h"
#include "fedvs/data/prepared.h"

namespace fedvs::data {

Result<PreparedJob> prepare(const Dataset& set, const DataJob& job) {
  if (!(job.clip > 0))
    return Error{ErrorCode::kBadJob, fmt::format("data.clip = {} must be above 0", job.clip)};
  FEDVS_TRY(const Split split, split_rows(set, job));
  const std::size_t clients = set.client_columns.size();
  PreparedJob prepared;
  prepared.clients.resize(clients);
  prepared.standardisers.resize(clients);
  ThreadPool::global().parallel_for(clients, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      auto& features = prepared.clients[n].features;
      for (int part = 0; part < kParts; ++part)
        features[part] = gather(set, set.client_columns[n], split.rows[part]);
      prepared.standardisers[n] =
          Standardiser::fit(features[static_cast<int>(Part::kTrain)], job.clip);
      for (Table& part : features) prepared.standardisers[n].apply(part);
    }
  });
  for (int part = 0; part < kParts; ++part)
    for (std::size_t row : split.rows[part]) prepared.labels[part].push_back(set.labels[row]);
  prepared.classes = set.classes;
  prepared.class_names = set.class_names;
  prepared.columns = set.columns;
  prepared.client_columns = set.client_columns;
  return prepared;
}

}  // namespace fedvs::data
