#include "fedvs/data/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fedvs/base/public_random.h"
#include "fedvs/data/clients.h"

namespace fedvs::data {
namespace {

constexpr std::uint64_t kStream = 0x73796e7468;  // apart from the split's streams
constexpr double kLinear = 2.0;                  // length of u_c, in spreads of a cloud
constexpr double kNonlinear = 4.0;               // length of v_c
constexpr int kUsualClients = 8;

Status check_sizes(const DataJob& job) {
  const auto bad = [](const char* key, int value, int least) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("data.{} = {} must be at least {}", key, value, least)};
  };
  if (job.features < 1) return bad("features", job.features, 1);
  if (job.classes < 2) return bad("classes", job.classes, 2);
  if (job.rows < 2 * job.classes) return bad("rows", job.rows, 2 * job.classes);
  return {};
}

std::vector<double> direction(std::size_t dimensions, double length, PublicRandom& random) {
  std::vector<double> vector(dimensions);
  double square = 0;
  for (double& x : vector) {
    x = random.next_normal();
    square += x * x;
  }
  for (double& x : vector) x *= length / std::sqrt(square);
  return vector;
}

}  // namespace

Result<Dataset> make_synthetic(const DataJob& job) {
  FEDVS_TRY_STATUS(check_sizes(job));
  const auto rows = static_cast<std::size_t>(job.rows),
             cols = static_cast<std::size_t>(job.features),
             classes = static_cast<std::size_t>(job.classes);
  Dataset set;
  set.name = "synthetic";
  FEDVS_TRY(
      set.client_columns,
      deal_evenly(cols, job.clients != 0 ? job.clients : std::min(kUsualClients, job.features)));
  PublicRandom random = PublicRandom::keyed({static_cast<std::uint64_t>(job.split_seed), kStream});
  std::vector<std::vector<double>> shift, apart;
  for (std::size_t c = 0; c < classes; ++c) {
    shift.push_back(direction(cols, kLinear, random));
    apart.push_back(direction(cols, kNonlinear, random));
    set.class_names.push_back(std::to_string(c));
  }
  for (std::size_t f = 0; f < cols; ++f) set.columns.push_back(fmt::format("x{}", f));
  set.classes = job.classes;
  set.features = {rows, cols, std::vector<float>(rows * cols)};
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t label = r % classes;
    const double side = random.below(2) == 0 ? -1.0 : 1.0;
    set.labels.push_back(static_cast<int>(label));
    for (std::size_t f = 0; f < cols; ++f)
      set.features.row(r)[f] =
          static_cast<float>(shift[label][f] + side * apart[label][f] + random.next_normal());
  }
  return set;
}

}  // namespace fedvs::data
