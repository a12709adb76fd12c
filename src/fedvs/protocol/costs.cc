#include "fedvs/protocol/costs.h"

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

// Every seed goes from its maker to the others outside its set, every commitment to everybody.
double seeds_of(const Agreement& a) {
  if (!a.masked()) return 0;
  constexpr double kSeed = 36, kCommitment = 32;
  const double sets = real(a.family->sets.size()), parties = a.shape.parties;
  const double holders = parties - a.family->size;
  return sets * (kSeed * (holders - 1) + kCommitment * (parties - 1)) / parties;
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
  c.seeds = seeds_of(a);
  c.round_sent = c.upload + others * c.model_share;
  c.round_received = c.gradient + others * c.model_share;
  return c;
}

}  // namespace fedvs::protocol
