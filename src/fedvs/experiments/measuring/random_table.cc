#include "fedvs/experiments/measuring/random_table.h"

#include "fedvs/base/public_random.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/data/clients.h"

namespace fedvs::measuring {
namespace {

constexpr std::uint64_t kStream = 0x62656e6368;
constexpr std::size_t kTestRows = 64;

data::Table random_features(std::size_t rows, std::size_t cols, PublicRandom random) {
  constexpr double kSpread = 3.4641016151377544;  // sqrt(12): a unit interval stretched to spread 1
  data::Table table{rows, cols, std::vector<float>(rows * cols)};
  for (float& value : table.values) {
    value = static_cast<float>((random.next_unit() - 0.5) * kSpread);
  }
  return table;
}

std::vector<int> random_labels(std::size_t rows, int classes, PublicRandom random) {
  std::vector<int> labels(rows);
  for (int& label : labels) {
    label = static_cast<int>(random.below(static_cast<std::uint64_t>(classes)));
  }
  return labels;
}

}  // namespace

data::PreparedJob random_table(const TableShape& shape, int clients) {
  const std::size_t rows[data::kParts] = {shape.rows, 0, kTestRows};
  data::PreparedJob job;
  job.classes = shape.classes;
  job.client_columns = data::deal_evenly(shape.features, clients).value();
  job.clients.resize(job.client_columns.size());
  ThreadPool::global().parallel_for(job.clients.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      for (std::uint64_t part = 0; part < data::kParts; ++part) {
        job.clients[n].features[part] = random_features(rows[part], job.client_columns[n].size(),
                                                        PublicRandom::keyed({kStream, n, part}));
      }
    }
  });
  for (std::uint64_t part = 0; part < data::kParts; ++part) {
    job.labels[part] =
        random_labels(rows[part], shape.classes, PublicRandom::keyed({kStream, ~part}));
  }
  return job;
}

}  // namespace fedvs::measuring
