// The tasks in which a client makes something for the others (data, models, masks) or learns.
#include <algorithm>
#include <utility>

#include "fedvs/protocol/client.h"
#include "fedvs/protocol/combine_row.h"

namespace fedvs::protocol {
namespace {

double real(std::size_t count) { return static_cast<double>(count); }

// A model about to be shared: W and the T uniform coefficients of r, Eq. (4). Wiped when it goes.
class SharedModel {
 public:
  SharedModel(const Agreement& agreement, const coding::LagrangeCode& code, int client,
              const LocalModel& model, StepNumber step, SecretSource& secrets)
      : agreement_(agreement),
        code_(code),
        client_(client),
        model_(model),
        step_(step),
        secrets_(secrets) {}

  field::RingMatrix share(int recipient) {
    if (blocks_.empty()) draw();
    return combine_row(code_.model_matrix(), recipient, blocks_);
  }

 private:
  void draw() {
    const std::size_t weights = agreement_.inputs(client_) * agreement_.width;
    blocks_.push_back(
        field::RingMatrix::from_integers(agreement_.ring, 1, weights, model_.rounded().at(step_)));
    Prng masks = secrets_.stream(Purpose::kModelMask, client_, step_);
    for (int t = 0; t < agreement_.shape.colluding; ++t) {
      blocks_.push_back(field::uniform(agreement_.ring, 1, weights, masks));
    }
  }
  const Agreement& agreement_;
  const coding::LagrangeCode& code_;
  int client_;
  const LocalModel& model_;
  StepNumber step_;
  SecretSource& secrets_;
  std::vector<field::RingMatrix> blocks_;
};

}  // namespace

std::size_t Client::wire_bytes(std::size_t elements) const {
  return elements * static_cast<std::size_t>(agreement_.ring.bytes_per_element());
}

MessagePtr Client::data_chunk(data::Part part, std::size_t first, int recipient) {
  const std::size_t rows = std::min(DataSharer::kChunkRows, agreement_.coded_rows(part) - first);
  DataShare share{.from = number_, .part = part, .first_row = first, .values = {}};
  if (arithmetic_ == Arithmetic::kReal) {
    share.values = sharer_.share(model_.rounded_rows(part), part, first, rows, recipient);
  }
  return make_message(std::move(share));
}

// Calls visit(part, first row, rows) for every chunk of the coded rows.
template <class Visit>
static void for_each_chunk(const Agreement& agreement, const Visit& visit) {
  for (int p = 0; p < data::kParts; ++p) {
    const auto part = static_cast<data::Part>(p);
    const std::size_t rows = agreement.coded_rows(part);
    for (std::size_t first = 0; first < rows; first += DataSharer::kChunkRows) {
      visit(part, first, std::min(DataSharer::kChunkRows, rows - first));
    }
  }
}

// Data preparation, once.                                                     Paper: Eq. (2)
// Sends  N-1 shares of 1/K of the data each, in chunks that are made when they arrive.
Task Client::share_data() {
  std::size_t rows = 0;
  for (const auto& coded : coded_) rows += coded.rows();
  const int terms = agreement_.shape.blocks + agreement_.shape.colluding;
  const double macs = real(rows * agreement_.inputs(number_)) * terms * agreement_.shape.parties;
  return {.macs = macs, .run = [this] {
            Effects effects;
            for_each_chunk(agreement_, [&](data::Part part, std::size_t first, std::size_t count) {
              for (int to = 0; to < agreement_.shape.parties; ++to) {
                effects.sends.push_back({.to = to,
                                         .channel = Channel::kBulk,
                                         .bytes = wire_bytes(count * agreement_.inputs(number_)),
                                         .make = [=, this] { return data_chunk(part, first, to); },
                                         .wanted = {}});
              }
            });
            return effects;
          }};
}

// Step 1 of 5, share models.                                                  Paper: Eq. (3), (4)
//   client n -> client m:  G_n(alpha_m) = W_n + z(alpha_m) r_n(alpha_m)
// Sends    N-1 messages of p_n elements.     Costs  (T+1) N p_n multiply-adds.
// Reveals  nothing to any T recipients.
Task Client::share_model() {
  const std::size_t weights = agreement_.inputs(number_) * agreement_.width;
  const double macs = real(weights) * (agreement_.shape.colluding + 1) * agreement_.shape.parties;
  return {.macs = macs, .run = [=, this] {
            const Version version{model_.step(), incarnation_};
            if (std::exchange(shared_, version.step) == version.step) return Effects{};  // once
            model_.round_current(secrets_, arithmetic_);
            auto shared = std::make_shared<SharedModel>(agreement_, code_, number_, model_,
                                                        version.step, secrets_);
            Effects effects;
            for (int to = 0; to < agreement_.shape.parties; ++to) {
              auto make = [=, this] {
                ModelShare share{number_, version, model_.chain(version.step), {}};
                if (arithmetic_ == Arithmetic::kReal) share.values = shared->share(to);
                return make_message(std::move(share));
              };
              effects.sends.push_back({.to = to,
                                       .channel = Channel::kShare,
                                       .bytes = wire_bytes(weights),
                                       .make = make,
                                       .wanted = {},
                                       .round = version.step});
            }
            return effects;
          }};
}

// Dealing a zero mask, ahead of its use and after everything else.
// Sends  N-1 messages of mask_rows x h elements.   Costs  (K+2T-1) N b h multiply-adds.
Task Client::deal(MaskPool pool) {
  const std::size_t entries = agreement_.mask_rows() * agreement_.width;
  const bool free = pool == MaskPool::kEvaluation;
  const int terms = agreement_.shape.blocks + 2 * agreement_.shape.colluding - 1;
  const double macs = free ? 0 : real(entries) * terms * agreement_.shape.parties;
  const MaskId id{.dealer = number_,
                  .pool = pool,
                  .number = masks_dealt_[static_cast<int>(pool)]++,
                  .dealer_incarnation = incarnation_,
                  .server_incarnation = welcome_.server};
  return {.macs = macs, .background = !free, .run = [=, this] {
            auto mask = std::make_shared<DealtMask>(agreement_, code_, id, secrets_);
            Effects effects;
            for (int to = 0; to < agreement_.shape.parties; ++to) {
              auto make = [=, this] {
                MaskShare share{id, welcome_.clients[static_cast<std::size_t>(to)], {}};
                if (arithmetic_ == Arithmetic::kReal) share.values = mask->share(to);
                return make_message(std::move(share));
              };
              effects.sends.push_back({.to = to,
                                       .channel = Channel::kBulk,
                                       .bytes = wire_bytes(entries),
                                       .make = make,
                                       .wanted = {},
                                       .free = free});
            }
            return effects;
          }};
}

// Step 5 of 5, learn:  W_n -= rate * X_n^T g / N from the client's own rounded rows.
Task Client::learn(std::shared_ptr<const Gradient> gradient, double rate_factor) {
  const std::size_t samples =
      gradient->plan().rows.size() * static_cast<std::size_t>(agreement_.shape.blocks);
  const double macs = real(samples) * real(agreement_.inputs(number_) * agreement_.width);
  return {.macs = macs, .run = [=, this] {
            model_.apply(*gradient, rate_factor, arithmetic_);
            return Effects{.sends = {}, .tasks = take_early_shares()};
          }};
}

// Shares of the step that has just been reached.
Tasks Client::take_early_shares() {
  Tasks tasks;
  for (const auto& message : std::exchange(early_, {})) append(tasks, receive(message));
  return tasks;
}

void Client::refill(std::span<const std::unique_ptr<Client>> others) {
  FEDVS_CHECK(secrets_.reproducible(), "only a seeded source makes the same shares again");
  for_each_chunk(agreement_, [&](data::Part part, std::size_t first, std::size_t rows) {
    for (const auto& other : others) {
      const auto chunk = data_chunk(part, first, other->number_);
      other->coded_[static_cast<int>(part)].paste_flat(std::get<DataShare>(*chunk).values, first,
                                                       rows, agreement_.first_input(number_),
                                                       agreement_.inputs(number_));
    }
  });
  for (const auto& [step, integers] : model_.rounded()) {
    SharedModel shared(agreement_, code_, number_, model_, step, secrets_);
    for (const auto& other : others) {
      auto& versions = other->shelf_.all()[static_cast<std::size_t>(number_)];
      if (auto held = versions.find(step); held != versions.end()) {
        held->second.second = std::make_shared<field::RingMatrix>(shared.share(other->number_));
      }
      for (auto& message : other->early_) {
        const auto& early = std::get<ModelShare>(*message);
        if (early.from != number_ || early.version.step != step) continue;
        message = make_message(
            ModelShare{number_, early.version, model_.chain(step), shared.share(other->number_)});
      }
    }
  }
  std::map<MaskId, DealtMask> masks;
  for (const auto& other : others) {
    for (auto& [id, share] : other->masks_.held()) {
      if (id.dealer != number_) continue;
      auto& mask = masks.try_emplace(id, agreement_, code_, id, secrets_).first->second;
      share = std::make_shared<field::RingMatrix>(mask.share(other->number_));
    }
  }
}

}  // namespace fedvs::protocol
