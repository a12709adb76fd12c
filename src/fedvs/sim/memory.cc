#include "fedvs/sim/memory.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "fedvs/data/catalog.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/ring_matrix.h"
#include "fedvs/protocol/chunks.h"
#include "fedvs/sim/learner.h"

namespace fedvs::sim {
namespace {

// Measured on jobs of next to no data, x86-64: the program with libtorch's pages that are in use,
// and what libtorch takes besides once it trains the central model.
constexpr double kProgram = 140e6, kCentral = 50e6;
constexpr double kVersions = 4;      // of a model: named, fresh, and on their way
constexpr double kBatches = 2;       // that uploads of one moment are for
constexpr double kCheckpoint = 3;    // its parts, the file made of them, and the room to grow it
constexpr double kTextPerValue = 8;  // bytes of a CSV file, its comma included

double real(std::size_t count) { return static_cast<double>(count); }

// Bytes that all clients hold together, unless said otherwise.
class Sizes {
 public:
  Sizes(const protocol::Agreement& agreement, const Job& job) : a_(agreement), job_(job) {
    for (const auto& client : a_.clients) features_ += client.features;
    for (int part = 0; part < data::kParts; ++part) {
      samples_ += real(a_.rows[part]);
      coded_rows_ += a_.coded_rows(static_cast<data::Part>(part));
    }
  }

  double table() const { return samples_ * features_ * sizeof(float); }  // raw, or standardised
  double text() const {
    const bool csv = job_.data.name != "synthetic" && !data::is_image_set(job_.data.name);
    return csv ? samples_ * features_ * kTextPerValue : 0;
  }
  double fixed_rows() const {
    return samples_ * real(a_.total_padded_inputs()) * (fits_16_bits() ? 2 : 4);
  }
  double labels() const { return samples_ * sizeof(int); }
  double row_order() const { return samples_ * 2 * sizeof(std::size_t); }  // and its parts
  double predictions() const {
    return real(std::max(a_.rows[1], a_.rows[2])) * a_.classes * sizeof(float);
  }

  // Of one client, or of one term of the code.
  double coded_rows() const { return matrix(coded_rows_, a_.total_padded_inputs()); }
  double coded_batch() const { return matrix(a_.most_rows(), a_.total_padded_inputs()); }
  double coded_chunk() const {
    return matrix(std::min(coded_rows_, protocol::kChunkRows), a_.total_padded_inputs());
  }
  double models() const {
    return matrix(field::panel_rows(a_.width), field::panel_cols(a_.total_padded_inputs()));
  }
  double mask() const { return matrix(a_.most_rows(), a_.width); }
  // The terms of a mask that are drawn at a time, and in one process the polynomial of two plans.
  double masks_drawn() const { return a_.masked() ? 16 * mask() : 0; }
  double mask_polynomials() const {
    return a_.masked() ? 2 * (a_.shape.blocks + 2 * a_.shape.colluding - 1) * mask() : 0;
  }
  double uploads() const { return 2 * real(a_.clients.size()) * mask(); }  // of two plans
  // As they were broadcast, and laid out for the clients.
  double gradients() const {
    return 2 * real(Learner::kRecent) * real(batch() * a_.width) * sizeof(float);
  }
  // What the central model computes of a batch, forth and back, and what it needs besides.
  double activations() const {
    std::size_t width = a_.width + static_cast<std::size_t>(a_.classes);
    for (int hidden : job_.model.hidden) width += static_cast<std::size_t>(hidden);
    return 4 * real(batch() * width) * sizeof(float);
  }
  // By number, under which version vector each row was uploaded.
  double row_notes() const { return real(coded_rows_ * sizeof(std::uint32_t)); }

  double weights() const { return real(a_.total_inputs() * a_.width) * sizeof(float); }
  // Weights, gradient, two moments of the optimiser, rounded versions.
  double learning() const { return (4 + kVersions) * weights(); }

 private:
  std::size_t batch() const {  // samples
    return a_.most_rows() * static_cast<std::size_t>(a_.shape.blocks);
  }
  double matrix(std::size_t rows, std::size_t cols) const {
    return real(field::RingMatrix::size_bytes(a_.ring, rows, cols));
  }
  bool fits_16_bits() const {
    int degree = 1;
    for (const auto& client : a_.clients) degree = std::max(degree, client.degree);
    return std::ldexp(std::pow(std::max(1.0, job_.data.clip), degree), a_.scales.l_x) <=
           std::numeric_limits<std::int16_t>::max();
  }
  const protocol::Agreement& a_;
  const Job& job_;
  double features_ = 0, samples_ = 0;
  std::size_t coded_rows_ = 0;
};

// While features become rows: reading, standardising, rounding.
double preparing(const Sizes& s) {
  return s.labels() + s.row_order() +
         std::max({s.text() + s.table(), 2 * s.table(), s.table() + s.fixed_rows()});
}

double client_memory(const protocol::Agreement& a, const Sizes& s) {
  const double parties = a.shape.parties, terms = a.shape.blocks + a.shape.colluding;
  const double rows = s.fixed_rows() / parties + s.row_notes();
  const double sharing = terms * s.coded_chunk() / parties;
  const double own = (s.learning() + (1 + a.shape.colluding) * s.models()) / parties;
  const double round = s.coded_batch() + (1 + kVersions) * s.models() + s.masks_drawn();
  return kProgram + std::max(preparing(s) / parties, rows + std::max(sharing, own + round));
}

double simulation_memory(const protocol::Agreement& a, const Sizes& s, bool kept) {
  const double parties = a.shape.parties, colluding = a.shape.colluding;
  const double terms = a.shape.blocks + colluding;
  const double rows = s.fixed_rows() + parties * s.row_notes() + s.labels() +
                      (kept ? 0 : colluding * s.coded_rows());
  const double batches = kept ? s.coded_batch() : kBatches * (terms + parties) * s.coded_batch();
  const double models = (kVersions + kBatches) * (1 + colluding) * s.models();
  const double masks = s.masks_drawn() + s.mask_polynomials();
  const double server = s.uploads() + s.gradients() + s.activations() + s.predictions();
  const double learning = s.learning() + kCheckpoint * (3 + kVersions) * s.weights();
  const double sharing = kept ? terms * s.coded_rows() : 0;  // chunks on their way to somebody
  return kProgram + std::max(preparing(s),
                             kCentral + rows +
                                 std::max(sharing, batches + models + masks + server + learning));
}

}  // namespace

Memory memory_of(const protocol::Agreement& agreement, const Job& job) {
  const Sizes sizes(agreement, job);
  const bool kept = job.sim.data_shares == DataShares::kKept;
  return {.client = client_memory(agreement, sizes),
          .client_files = sizes.coded_rows(),
          .simulation = simulation_memory(agreement, sizes, kept),
          .simulation_files = kept ? agreement.shape.parties * sizes.coded_rows() : 0};
}

}  // namespace fedvs::sim
