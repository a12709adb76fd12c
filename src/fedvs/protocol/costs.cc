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
  const double sets = real(a.family->sets.size()), parties = a.shape.parties;
  const double holders = parties - a.family->size;
  const double seed = real(sizeof(SeedEntry)), commitment = real(sizeof(Digest));
  return sets * (seed * (holders - 1) + commitment * (parties - 1)) / parties;
}

std::size_t element_bytes(const Agreement& a) {
  return static_cast<std::size_t>(a.ring.bytes_per_element());
}

double samples_of(const Agreement& a, std::size_t rows) {
  return real(rows * static_cast<std::size_t>(a.shape.blocks));
}

}  // namespace

std::size_t data_share_bytes(const Agreement& a, int client, std::size_t rows) {
  return rows * a.inputs(client) * element_bytes(a);
}

std::size_t seed_share_bytes(std::size_t commitments, std::size_t seeds) {
  return commitments * sizeof(Digest) + seeds * sizeof(SeedEntry);
}

std::size_t model_share_bytes(const Agreement& a, int client) {
  return a.inputs(client) * a.width * element_bytes(a);
}

// A step and a life per party: about eight bytes as they are encoded.
std::size_t holdings_bytes(const Agreement& a) {
  return 8 * static_cast<std::size_t>(a.shape.parties);
}

std::size_t upload_bytes(const Agreement& a, std::size_t rows) {
  return rows * a.width * element_bytes(a) + holdings_bytes(a);
}

std::size_t step_bytes(const Agreement& a, std::size_t gradient_rows, std::size_t plan_rows) {
  const auto blocks = static_cast<std::size_t>(a.shape.blocks);
  const std::size_t flags = 8 * static_cast<std::size_t>(a.shape.parties);
  return flags + 4 * plan_rows + sizeof(float) * gradient_rows * blocks * a.width;
}

double multiply_adds(const Agreement& a, int party, const Work& work, double central_macs) {
  const double samples = samples_of(a, work.rows);
  switch (work.kind) {
    case Work::Kind::kNone:
      return 0;
    case Work::Kind::kShareRows:
      return coded_rows(a) * real(a.inputs(party)) * (a.shape.blocks + a.shape.colluding) *
             a.shape.parties;
    case Work::Kind::kShareModel:
      return real(a.inputs(party) * a.width) * (a.shape.colluding + 1) * a.shape.parties;
    case Work::Kind::kUpload: {
      const std::size_t masks = a.masked() ? a.family->elements(party) : 0;
      return real(work.rows * a.width) * real(a.total_inputs() + masks);
    }
    case Work::Kind::kOpen:
      return samples * a.shape.threshold() * real(a.width) + 3 * samples * central_macs;
    case Work::Kind::kLearn:
      return samples * real(a.inputs(party) * a.width);
  }
  return 0;
}

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
