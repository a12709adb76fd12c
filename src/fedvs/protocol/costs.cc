#include "fedvs/protocol/costs.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace fedvs::protocol {
namespace {

double real(std::size_t count) { return static_cast<double>(count); }

double coded_rows(const Agreement& a) {
  double rows = 0;
  for (int part = 0; part < data::kParts; ++part) {
    rows += real(a.coded_rows(static_cast<data::Part>(part)));
  }
  return rows;
}

}  // namespace

Costs costs_of(const Agreement& a) {
  const double element = a.ring.bytes_per_element();
  const double parties = a.shape.parties, others = parties - 1;
  const double inputs = real(a.total_inputs()), entries = real(a.batch_rows() * a.width);
  Costs c{};
  c.data_share = coded_rows(a) * inputs * element / parties;
  c.model_share = inputs / parties * real(a.width) * element;
  c.upload = entries * element;
  c.gradient = entries * a.shape.blocks * 4;
  c.masks = a.masked ? (a.shape.colluding + 1) * real(a.mask_rows() * a.width) * element : 0;
  c.round_sent = c.upload + c.masks * others / parties + others * c.model_share;
  c.round_received = c.gradient + c.masks * others / parties + others * c.model_share;
  return c;
}

namespace {

// Of the `clients` clients with the fewest features.
double exposure_of(const Agreement& a, std::size_t clients) {
  std::vector<int> features;
  for (const auto& client : a.clients) features.push_back(client.features * client.degree);
  std::ranges::sort(features);
  const auto end =
      features.begin() + static_cast<std::ptrdiff_t>(std::min(clients, features.size()));
  return real(a.width) * a.epochs / std::accumulate(features.begin(), end, 0.0);
}

}  // namespace

double exposure(const Agreement& a) { return exposure_of(a, a.clients.size()); }

double group_exposure(const Agreement& a) {
  const bool one_group = a.shape.parties < 2 * a.smallest_group();
  return one_group ? exposure(a) : exposure_of(a, static_cast<std::size_t>(a.smallest_group()));
}

}  // namespace fedvs::protocol
