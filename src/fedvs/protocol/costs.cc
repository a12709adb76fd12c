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

}  // namespace fedvs::protocol
