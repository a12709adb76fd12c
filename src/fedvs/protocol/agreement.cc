#include "fedvs/protocol/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fedvs/field/panels.h"

namespace fedvs::protocol {
namespace {

std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

Result<std::vector<quant::ClientWidth>> client_widths(const Job& job,
                                                      const std::vector<int>& features) {
  const auto& degrees = job.model.degrees;
  if (degrees.size() != 1 && degrees.size() != features.size()) {
    return Error{
        ErrorCode::kBadJob,
        fmt::format("model.degrees has {} entries for {} clients; give one for all, or one "
                    "per client",
                    degrees.size(), features.size())};
  }
  std::vector<quant::ClientWidth> widths;
  for (std::size_t n = 0; n < features.size(); ++n) {
    const int degree = degrees.size() == 1 ? degrees[0] : degrees[n];
    if (degree < 1 || degree > 8) {
      return Error{
          ErrorCode::kBadJob,
          fmt::format("model.degrees: client {} has degree {}; use 1 to 8", n + 1, degree)};
    }
    widths.push_back({.features = features[n], .degree = degree});
  }
  return widths;
}

// Rounded features are kept as floats, which hold integers up to 2^24: 2^l_x clip^D may be no more.
int most_bits_for_data(const std::vector<quant::ClientWidth>& clients, double clip) {
  int degree = 1;
  for (const auto& client : clients) degree = std::max(degree, client.degree);
  return static_cast<int>(std::floor(24 - degree * std::log2(std::max(1.0, clip))));
}

Result<quant::Scales> scales(const Job& job, const field::Ring& ring,
                             const std::vector<quant::ClientWidth>& clients) {
  const int most = most_bits_for_data(clients, job.data.clip);
  if (job.code.l_x > most || most < 1) {
    return Error{
        ErrorCode::kBadJob,
        fmt::format("code.l_x = {} with data.clip = {} and these degrees makes features too "
                    "large to be exact; l_x may be {} at the most, or lower data.clip",
                    job.code.l_x, job.data.clip, most)};
  }
  quant::Scales chosen{job.code.l_x, job.code.l_w};
  if (job.code.l_x > 0 && job.code.l_w > 0) return chosen;
  FEDVS_TRY(const quant::Scales automatic, quant::automatic_scales(ring, clients, job.data.clip));
  if (job.code.l_x == 0) chosen.l_x = std::min(automatic.l_x, most);
  if (job.code.l_w == 0) chosen.l_w = automatic.l_w;
  return chosen;
}

Status check_sizes(const Agreement& a) {
  // No training rows at all: a trained model that only predicts.
  if (a.rows[0] != 0 && a.rows[0] < static_cast<std::size_t>(2 * a.shape.blocks)) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("{} training rows cannot be cut into K = {} segments of at least two; "
                             "lower code.K or bring more rows",
                             a.rows[0], a.shape.blocks)};
  }
  if (a.uploads_needed() > a.shape.parties) {
    return Error{
        ErrorCode::kBadShape,
        fmt::format("correcting {} wrong uploads needs R + 2e = {} of N = {} clients; lower "
                    "protocol.corrupt_uploads, code.K or code.T",
                    a.corrupt_uploads, a.uploads_needed(), a.shape.parties)};
  }
  return {};
}

}  // namespace

std::string Agreement::name(int client) const {
  if (names.empty()) return fmt::format("client {}", client + 1);
  return names[static_cast<std::size_t>(client)];
}

std::string Agreement::listed(int client) const {
  return names.empty() ? fmt::format(" {}", client + 1) : fmt::format(" {}", name(client));
}

std::size_t Agreement::inputs(int client) const {
  const auto& c = clients[static_cast<std::size_t>(client)];
  return static_cast<std::size_t>(c.features * c.degree + 1);
}

std::size_t Agreement::first_input(int client) const {
  std::size_t first = 0;
  for (int n = 0; n < client; ++n) first += inputs(n);
  return first;
}

std::size_t Agreement::total_inputs() const { return first_input(shape.parties); }

std::size_t Agreement::padded_inputs(int client) const {
  return field::padded_depth(inputs(client));
}

std::size_t Agreement::first_padded_input(int client) const {
  std::size_t first = 0;
  for (int n = 0; n < client; ++n) first += padded_inputs(n);
  return first;
}

std::size_t Agreement::total_padded_inputs() const { return first_padded_input(shape.parties); }

std::size_t Agreement::coded_rows(data::Part part) const {
  return divide_up(rows[static_cast<int>(part)], static_cast<std::size_t>(shape.blocks));
}

std::size_t Agreement::batch_rows() const {
  return divide_up(static_cast<std::size_t>(batch_size), static_cast<std::size_t>(shape.blocks));
}

std::size_t Agreement::most_rows() const {
  const std::size_t batch = batch_rows(), all = coded_rows(data::Part::kTrain);
  return all > batch && (batch == 1 || all % batch == 1) ? batch + 1 : batch;
}

static LateRules late_rules(const Job& job) {
  return {.late_models = job.protocol.late_models,
          .on_dead = job.protocol.on_dead,
          .equivocation = job.protocol.equivocation,
          .max_age = job.protocol.max_age,
          .warmup_rounds = job.protocol.warmup_rounds,
          .dead_after = job.protocol.dead_after};
}

static TrainingRules training_rules(const Job& job) {
  return {.batch_size = job.train.batch_size,
          .epochs = job.train.epochs,
          .evaluate_every = job.train.evaluate_every,
          .gradient_clip = job.train.gradient_clip,
          .count_idle_epochs = job.train.idle_epochs == IdleEpochs::kCount};
}

Result<Agreement> agree(const Job& job, const std::vector<int>& features,
                        const std::size_t (&rows)[data::kParts], int classes) {
  const int parties = static_cast<int>(features.size());
  const int blocks = job.code.blocks > 0 || parties < 1 || job.code.colluding < 1
                         ? job.code.blocks
                         : coding::default_blocks(parties, job.code.colluding);
  const coding::Shape shape{parties, blocks, job.code.colluding};
  FEDVS_TRY(field::Ring ring, field::Ring::create(job.code.ring));
  FEDVS_TRY_STATUS(coding::validate(shape, ring));
  std::shared_ptr<const coding::MaskFamily> family;
  if (job.protocol.opening == OpeningKind::kMasked) {
    FEDVS_TRY(auto found, coding::find_family(ring, shape));
    family = std::make_shared<const coding::MaskFamily>(std::move(found));
  }
  FEDVS_TRY(auto clients, client_widths(job, features));
  FEDVS_TRY(auto chosen, scales(job, ring, clients));
  Agreement a{CodeRules{.shape = shape,
                        .ring = std::move(ring),
                        .scales = chosen,
                        .family = std::move(family),
                        .corrupt_uploads = job.protocol.corrupt_uploads,
                        .correct_uploads = job.protocol.on_corrupt == OnCorrupt::kCorrect},
              late_rules(job),
              training_rules(job),
              static_cast<std::size_t>(job.model.width),
              std::move(clients),
              {rows[0], rows[1], rows[2]},
              classes,
              {}};
  FEDVS_TRY_STATUS(check_sizes(a));
  return a;
}

}  // namespace fedvs::protocol
