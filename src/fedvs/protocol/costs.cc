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
  const double samples = real(a.rows[0] + a.rows[1] + a.rows[2]);
  Costs c{};
  c.data_held = coded_rows(a) * inputs * element;
  c.data_share = c.data_held / parties;
  c.model_share = inputs / parties * real(a.width) * element;
  c.upload = entries * element;
  c.gradient = entries * a.shape.blocks * 4;
  c.masks = a.masked ? (a.shape.colluding + 1) * real(a.mask_rows() * a.width) * element : 0;
  c.round_sent = c.upload + c.masks * others / parties + others * c.model_share;
  c.round_received = c.gradient + c.masks * others / parties + others * c.model_share;
  const double stock = a.masked ? 2.0 * a.mask_stock * parties : 0;
  const double versions = 3 * inputs * real(a.width) * element;  // named, fresh, assembled
  const double held = versions + stock * real(a.mask_rows() * a.width) * element;
  c.memory = c.data_held + held + samples * inputs / parties * 4;
  // Every party's shares, the rounded rows of all and the raw table they came from.
  c.simulation_memory = parties * (c.data_held + held) + samples * inputs * 4 * 1.6 + 3e8;
  return c;
}

double exposure(const Agreement& a) {
  double features = 0;
  for (const auto& client : a.clients) features += client.features * client.degree;
  return real(a.width) * a.epochs / features;
}

}  // namespace fedvs::protocol
