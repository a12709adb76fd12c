// The tasks in which a client makes something for the others (data, models, masks) or learns.
#include <algorithm>
#include <map>
#include <utility>

#include "fedvs/base/wipe.h"
#include "fedvs/field/panels.h"
#include "fedvs/protocol/client.h"

namespace fedvs::protocol {
namespace {

double real(std::size_t count) { return static_cast<double>(count); }

// A version of a model: W in the product's panels and the T uniform coefficients of r, Eq. (4).
class SharedModel final : public Secret {
 public:
  SharedModel(const Agreement& agreement, const coding::LagrangeCode& code, int client,
              const LocalModel& model, StepNumber step, SecretSource& secrets)
      : Secret(agreement.ring, field::panel_rows(agreement.width),
               field::panel_cols(agreement.padded_inputs(client))),
        agreement_(agreement),
        code_(code),
        client_(client),
        model_(model),
        step_(step),
        secrets_(secrets) {}

 private:
  std::vector<field::RingMatrix> draw() const override {
    std::vector<std::int32_t> panels(rows() * cols());
    field::order_panels(ring(), model_.rounded().at(step_), agreement_.width,
                        agreement_.inputs(client_), panels);
    std::vector<field::RingMatrix> terms;
    terms.push_back(field::RingMatrix::from_integers(ring(), rows(), cols(), panels));
    wipe(std::span(panels));
    Prng masks = secrets_.stream(Purpose::kModelMask, client_, step_);
    for (auto& random :
         coding::random_terms(code_, coding::Polynomial::kModel, rows(), cols(), masks)) {
      terms.push_back(std::move(random));
    }
    return terms;
  }
  const Agreement& agreement_;
  const coding::LagrangeCode& code_;
  int client_;
  const LocalModel& model_;
  StepNumber step_;
  SecretSource& secrets_;
};

}  // namespace

std::size_t Client::wire_bytes(std::size_t elements) const {
  return elements * static_cast<std::size_t>(agreement_.ring.bytes_per_element());
}

MessagePtr Client::data_chunk(data::Part part, std::size_t first, int recipient) {
  const std::size_t rows = DataSharer::chunk_rows(agreement_, part, first);
  DataShare share{
      .from = number_, .part = part, .first_row = first, .values = {}, .sharing = options_.sharing};
  if (arithmetic_ == Arithmetic::kReal && rows_->keeps_shares()) {
    share.values = std::make_shared<const field::RingMatrix>(
        sharer_.share(model_.rows(part), part, first, rows, recipient));
  }
  return make_message(std::move(share));
}

// Data preparation, once.                                                     Paper: Eq. (2)
// Sends  N-1 shares of 1/K of the data each, in chunks that are made when they arrive.
Task Client::share_data() {
  std::size_t rows = 0;
  for_each_chunk(agreement_, [&](data::Part, std::size_t, std::size_t count) { rows += count; });
  const int terms = agreement_.shape.blocks + agreement_.shape.colluding;
  const double macs = real(rows * agreement_.inputs(number_)) * terms * agreement_.shape.parties;
  return {.macs = macs, .run = [this] {
            Effects effects;
            for_each_chunk(agreement_, [&](data::Part part, std::size_t first, std::size_t count) {
              send_to_all(
                  effects,
                  {.to = 0,
                   .channel = Channel::kBulk,
                   .bytes = wire_bytes(count * agreement_.inputs(number_)),
                   .draft = draft([=, this](int to) { return data_chunk(part, first, to); })});
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
            const auto secret = shared_model(version.step);
            compute_later([this, secret, step = version.step] {
              if (model_.round(step, secrets_)) secret->terms();
            });
            const auto shares = shares_of(secret, code_);
            if (options_.apart) keep(version, shares);
            if (heads_) heads_->told_all(/*promptly=*/false);
            Effects effects;
            send_to_all(
                effects,
                {.to = 0,
                 .channel = Channel::kShare,
                 .bytes = wire_bytes(weights),
                 .draft = draft([=, this](int to) { return model_message(version, shares, to); }),
                 .round = version.step});
            return effects;
          }};
}

MessagePtr Client::model_message(const Version& version,
                                 const std::shared_ptr<const Shares>& shares, int to) const {
  ModelShare share{number_, version, model_.chain(version.step), {}};
  if (arithmetic_ == Arithmetic::kReal) share.values = share_of(shares, to);
  if (heads_) share.head = heads_->head();
  return make_message(std::move(share));
}

void Client::send_to_all(Effects& effects, Outgoing message) const {
  effects.sends.reserve(effects.sends.size() + static_cast<std::size_t>(agreement_.shape.parties));
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    effects.sends.push_back(message);
    effects.sends.back().to = to;
  }
}

std::shared_ptr<Secret> Client::shared_model(StepNumber step) {
  return std::make_shared<SharedModel>(agreement_, code_, number_, model_, step, secrets_);
}

// Step 5 of 5, learn:  W_n -= rate * X_n^T g / N from the client's own rounded rows.
Task Client::learn(std::shared_ptr<const Gradient> gradient, double rate_factor) {
  const std::size_t samples =
      gradient->plan().rows.size() * static_cast<std::size_t>(agreement_.shape.blocks);
  const double macs = real(samples) * real(agreement_.inputs(number_) * agreement_.width);
  return {.macs = macs, .run = [=, this] {
            model_.accept(*gradient, rate_factor);
            compute_later([=, this] { model_.learn(*gradient, rate_factor); });
            if (doing::is_behind(state_)) keep_named_version();
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
  for (const auto& other : others) {
    if (other->rows_->keeps_shares()) refill_rows(*other);
  }
  for (const auto& [step, integers] : model_.rounded()) {
    const auto secret = shared_model(step);
    for (const auto& other : others) refill_model(*other, step, secret);
  }
}

void Client::refill_rows(Client& other) {
  for_each_chunk(agreement_, [&](data::Part part, std::size_t first, std::size_t rows) {
    const auto chunk = data_chunk(part, first, other.number_);
    other.rows_->put(part, number_, first, rows, *std::get<DataShare>(*chunk).values);
  });
}

void Client::refill_model(Client& other, StepNumber step, const std::shared_ptr<Secret>& secret) {
  auto share = [&] { return share_of(secret, code_, other.number_); };
  other.shelf_.replace(number_, step, share());
  for (auto& message : other.early_) {
    const auto& early = std::get<ModelShare>(*message);
    if (early.from != number_ || early.version.step != step) continue;
    message = make_message(ModelShare{number_, early.version, model_.chain(step), share()});
  }
}

}  // namespace fedvs::protocol
