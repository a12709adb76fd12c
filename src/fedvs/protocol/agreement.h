// The public facts of a job that every party computes alike before anything is shared.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/coding/mask_family.h"
#include "fedvs/coding/shape.h"
#include "fedvs/data/prepared.h"
#include "fedvs/field/ring.h"
#include "fedvs/job/job.h"
#include "fedvs/quant/scales.h"

namespace fedvs::protocol {

// How rows and models are hidden, and sums opened.
struct CodeRules {
  coding::Shape shape;  // N, K, T
  field::Ring ring;
  quant::Scales scales;
  // Who shares which seeds of zero masks (docs/design/masked-opening.md); null: the paper's
  // opening, for comparison.
  std::shared_ptr<const coding::MaskFamily> family;
  int corrupt_uploads;  // e; 0: wrong uploads are detected, not corrected
  bool correct_uploads;

  bool masked() const { return family != nullptr; }
  int smallest_group() const { return shape.colluding + 2; }
  int uploads_needed() const {
    return shape.threshold() + (correct_uploads ? 2 * corrupt_uploads : 0);
  }
};

// What becomes of those who are late, dead, or shown other plans than the rest.
struct LateRules {
  LateModels late_models;
  OnDead on_dead;
  OnEquivocation equivocation;
  int max_age, warmup_rounds;
  double dead_after;
};

struct TrainingRules {
  int batch_size;  // samples
  int epochs;
  int evaluate_every;
  double gradient_clip;    // L2 norm of a row of the broadcast gradient
  bool count_idle_epochs;  // epochs in which no client learns are trained like others
};

struct Agreement : CodeRules, LateRules, TrainingRules {
  std::size_t width = 0;                    // h
  std::vector<quant::ClientWidth> clients;  // d_n, D_n
  std::size_t rows[data::kParts] = {};      // samples
  int classes = 0;
  std::vector<std::string> names;  // of the clients, for people; none: numbers from 1

  std::string name(int client) const;    // "client 3", or the name that it has
  std::string listed(int client) const;  // " 3", or " " and its name: after "clients"
  // Weights of client n's row x^: d_n D_n + 1.
  std::size_t inputs(int client) const;
  std::size_t first_input(int client) const;  // its first column among all clients'
  std::size_t total_inputs() const;           // D
  // The same with every client's inputs padded to a multiple of four, which the product's layout
  // needs (field/panels.h): where its coded rows and its panels of weights lie.
  std::size_t padded_inputs(int client) const;
  std::size_t first_padded_input(int client) const;
  std::size_t total_padded_inputs() const;
  std::size_t coded_rows(data::Part part) const;  // ceil(rows / K)
  std::size_t batch_rows() const;                 // b = ceil(batch_size / K)
  // The most coded rows that a plan may name. A last batch of one sample joins
  // the one before it, which takes a last batch of one coded row.
  std::size_t most_rows() const;
};

// K = "auto" is the largest with R <= N/2 here: a rule that needs no model of delays (a simulation
// has one, and chooses by it). kBadShape / kBadJob when N, K, T, the ring, the scales, the
// degrees or the masks cannot work together.
Result<Agreement> agree(const Job& job, const std::vector<int>& features,
                        const std::size_t (&rows)[data::kParts], int classes);

// N, for whoever indexes vectors by client.
inline std::size_t parties(const Agreement& agreement) {
  return static_cast<std::size_t>(agreement.shape.parties);
}

}  // namespace fedvs::protocol
