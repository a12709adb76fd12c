// The tasks in which a client makes something for the others (data, models, masks) or learns.
#include <utility>

#include "fedvs/protocol/client/client.h"

namespace fedvs::protocol {
namespace {

double real(std::size_t count) { return static_cast<double>(count); }

}  // namespace

std::size_t Client::wire_bytes(std::size_t elements) const {
  return elements * static_cast<std::size_t>(agreement_.ring.bytes_per_element());
}

MessagePtr Client::data_chunk(const Chunk& chunk, int recipient) {
  return rows_.chunk_for(recipient, chunk, own_.local().rows(chunk.first), work_.is_real());
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
              send_to_all(effects, {.to = 0,
                                    .lane = Lane::kBulk,
                                    .bytes = wire_bytes(count * agreement_.inputs(number_)),
                                    .draft = draft([=, this](int to) {
                                      return data_chunk({part, first}, to);
                                    })});
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
            const Version version{own_.step(), life_.incarnation()};
            if (!own_.begin_sharing(version.step)) return Effects{};  // once
            const auto secret = own_.secret(version.step);
            work_.add([this, secret, step = version.step] {
              if (own_.round(step)) secret->terms();
            });
            const auto shares = own_.shares(secret);
            if (options_.apart) own_.keep(version, shares, named_of_own());
            if (plans_.heads()) plans_.heads()->told_all(/*promptly=*/false);
            Effects effects;
            send_to_all(
                effects,
                {.to = 0,
                 .lane = Lane::kShare,
                 .bytes = wire_bytes(weights),
                 .draft = draft([=, this](int to) { return model_message(version, shares, to); }),
                 .round = version.step});
            return effects;
          }};
}

MessagePtr Client::model_message(const Version& version,
                                 const std::shared_ptr<const Shares>& shares, int to) const {
  ModelShare share{number_, version, own_.local().chain(version.step), {}};
  if (work_.is_real()) share.values = share_of(shares, to);
  if (plans_.heads()) share.head = plans_.heads()->head();
  return make_message(std::move(share));
}

std::optional<Version> Client::named_of_own() const {
  return plans_.open().trained() ? of_client(plans_.open().trained()->versions, number_)
                                 : std::nullopt;
}

void Client::send_to_all(Effects& effects, Outgoing message) const {
  effects.sends.reserve(effects.sends.size() + static_cast<std::size_t>(agreement_.shape.parties));
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    effects.sends.push_back(message);
    effects.sends.back().to = to;
  }
}

// Step 5 of 5, learn:  W_n -= rate * X_n^T g / N from the client's own rounded rows.
Task Client::learn(std::shared_ptr<const Gradient> gradient, double rate_factor) {
  const std::size_t samples =
      gradient->plan().rows.size() * static_cast<std::size_t>(agreement_.shape.blocks);
  const double macs = real(samples) * real(agreement_.inputs(number_) * agreement_.width);
  return {.macs = macs, .run = [=, this] {
            own_.local().accept(*gradient, rate_factor);
            work_.add([=, this] { own_.local().learn(*gradient, rate_factor); });
            if (doing::is_behind(state_)) keep_named_version();
            return Effects{.sends = {}, .tasks = take_early_shares()};
          }};
}

// Shares of the step that has just been reached.
Tasks Client::take_early_shares() {
  Tasks tasks;
  for (const auto& message : postponed_.take_early()) append(tasks, receive(message));
  return tasks;
}

void Client::refill(std::span<const std::unique_ptr<Client>> others) {
  FEDVS_CHECK(secrets_.reproducible(), "only a seeded source makes the same shares again");
  for (const auto& other : others) {
    if (other->rows_.coded().keeps_shares()) refill_rows(*other);
  }
  for (const auto& [step, integers] : own_.local().rounded()) {
    const auto secret = own_.secret(step);
    for (const auto& other : others) refill_model(*other, step, secret);
  }
}

void Client::refill_rows(Client& other) {
  for_each_chunk(agreement_, [&](data::Part part, std::size_t first, std::size_t rows) {
    const auto chunk = data_chunk({part, first}, other.number_);
    other.rows_.coded().put(part, number_, first, rows, *std::get<DataShare>(*chunk).values);
  });
}

void Client::refill_model(Client& other, StepNumber step, const std::shared_ptr<Secret>& secret) {
  auto share = [&] { return share_of(own_.shares(secret), other.number_); };
  other.shelf_.replace(number_, step, share());
  other.postponed_.replace_early(number_, step, [&](const ModelShare& early) {
    return make_message(ModelShare{number_, early.version, own_.local().chain(step), share()});
  });
}

}  // namespace fedvs::protocol
