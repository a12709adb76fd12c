#include "fedvs/protocol/exposure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fedvs::protocol {
namespace {

constexpr const char* kCaveat = "Below the limit is necessary, not sufficient (docs/privacy.md)";

// A training row is opened once per epoch; validation and test rows no more often. Scoring opens
// rows once.
std::size_t openings_of(int epochs) { return static_cast<std::size_t>(std::max(1, epochs)); }

// Of all but the T widest.
std::size_t honest_features(std::vector<int> features, int colluding) {
  std::ranges::sort(features);
  const auto honest =
      features.size() - std::min(features.size(), static_cast<std::size_t>(colluding));
  return std::accumulate(features.begin(), features.begin() + static_cast<std::ptrdiff_t>(honest),
                         std::size_t{0});
}

std::size_t narrowest_possible(std::vector<int> features, const Agreement& a) {
  std::ranges::sort(features);
  features.resize(std::min(features.size(), static_cast<std::size_t>(a.smallest_group())));
  return honest_features(std::move(features), a.shape.colluding);
}

std::size_t narrowest_of(const Groups& groups, const std::vector<int>& features, int colluding) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const auto& group : groups) {
    std::vector<int> members;
    for (int n : group) members.push_back(features[static_cast<std::size_t>(n)]);
    least = std::min(least, honest_features(std::move(members), colluding));
  }
  return least;
}

double ratio(std::size_t numbers, std::size_t features) {
  if (features == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(numbers) / static_cast<double>(features);
}

}  // namespace

double Exposure::of_all() const { return ratio(width * openings, honest); }
double Exposure::of_group() const { return ratio(width * openings, honest_in_group); }
double Exposure::largest() const { return std::max(of_all(), of_group()); }

std::string Exposure::text() const {
  const bool several = honest_in_group != honest;
  std::string text = fmt::format(
      "exposure {:.2f} (limit {}): h = {} numbers at each of {} opening{} of a row, over the {} "
      "columns of the honest clients{}",
      largest(), kExposureLimit, width, openings, openings == 1 ? "" : "s",
      several ? honest_in_group : honest,
      !several       ? ""
      : groups_known ? " of the narrowest group"
                     : " of the narrowest group that may form");
  if (several) text += fmt::format(" ({:.2f} over the {} of all)", of_all(), honest);
  if (largest() >= 1) {
    text += ". From 1 on, the sums determine the columns up to a change of basis";
  }
  if (above_limit()) text += ". A smaller model.width or fewer train.epochs lower it";
  return text + ". " + kCaveat;
}

Exposure exposure_of(const Agreement& a, const Groups* groups) {
  std::vector<int> features;
  for (const auto& client : a.clients) features.push_back(client.features);
  Exposure e{.width = a.width,
             .openings = openings_of(a.epochs),
             .honest = honest_features(features, a.shape.colluding),
             .honest_in_group = 0,
             .groups_known = groups != nullptr && !groups->empty()};
  e.honest_in_group = e.honest;
  if (e.groups_known) {
    e.honest_in_group = narrowest_of(*groups, features, a.shape.colluding);
  } else if (!one_group(a.shape.parties, a.shape.colluding)) {
    e.honest_in_group = narrowest_possible(features, a);
  }
  return e;
}

std::string exposure_before_columns(const Job& job, int clients) {
  const int colluding = job.code.colluding;
  const std::size_t openings = openings_of(job.train.epochs);
  const std::size_t numbers = static_cast<std::size_t>(job.model.width) * openings;
  const int honest = one_group(clients, colluding) ? clients - colluding : 2;
  return fmt::format(
      "Exposure: every row is opened {} time{}, h = {} numbers each. That is below the limit of {} "
      "only if the {} narrowest clients have {} columns or more together. {}.",
      openings, openings == 1 ? "" : "s", job.model.width, kExposureLimit, honest,
      static_cast<std::size_t>(std::floor(static_cast<double>(numbers) / kExposureLimit)) + 1,
      kCaveat);
}

}  // namespace fedvs::protocol
