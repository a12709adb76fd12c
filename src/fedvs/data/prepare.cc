#include <fmt/format.h>

#include "fedvs/base/thread_pool.h"
#include "fedvs/data/prepared.h"

namespace fedvs::data {

Status check_clip(const DataJob& job) {
  if (job.clip > 0) return {};
  return Error{ErrorCode::kBadJob, fmt::format("data.clip = {} must be above 0", job.clip)};
}

Prepared standardised_parts(const Table& features, const std::vector<std::size_t>& columns,
                            const Split& split, double clip, Standardiser& fitted) {
  Prepared client;
  for (int part = 0; part < kParts; ++part)
    client.features[part] = gather(features, columns, split.rows[part]);
  fitted = Standardiser::fit(client.features[static_cast<int>(Part::kTrain)], clip);
  for (Table& part : client.features) fitted.apply(part);
  return client;
}

Result<PreparedJob> prepare(const Dataset& set, const DataJob& job) {
  FEDVS_TRY_STATUS(check_clip(job));
  FEDVS_TRY(const Split split, split_rows(set, job));
  const std::size_t clients = set.client_columns.size();
  PreparedJob prepared;
  prepared.clients.resize(clients);
  prepared.standardisers.resize(clients);
  ThreadPool::global().parallel_for(clients, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n)
      prepared.clients[n] = standardised_parts(set.features, set.client_columns[n], split, job.clip,
                                               prepared.standardisers[n]);
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
