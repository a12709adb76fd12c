#include "fedvs/baselines/parties.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fedvs/baselines/for_all.h"
#include "fedvs/sim/parts.h"
#include "fedvs/sim/seeded_secrets.h"

namespace fedvs::baselines {
namespace {

std::string part_of(std::size_t client) { return fmt::format("client-{}", client + 1); }

}  // namespace

Result<std::unique_ptr<Parties>> Parties::create(const Job& job, data::PreparedJob prepared) {
  std::unique_ptr<Parties> parties(new Parties);
  parties->seed_ = static_cast<std::uint64_t>(job.sim.seed);
  parties->aggregation_ = job.model.aggregation;
  parties->width_ = static_cast<std::size_t>(job.model.width);
  parties->classes_ = prepared.classes;
  sim::SeededSecrets secrets(parties->seed_);
  for (std::size_t n = 0; n < prepared.clients.size(); ++n) {
    const int client = static_cast<int>(n);
    Prng random = secrets.stream(Purpose::kInitialWeights, client, 0);
    const auto features = static_cast<int>(prepared.clients[n].features[0].cols);
    FEDVS_TRY(auto network, model::make_client_network(job, client, features, random));
    parties->networks_.push_back(std::move(network));
  }
  parties->data_ = std::move(prepared.clients);
  for (int p = 0; p < data::kParts; ++p) parties->labels_[p] = std::move(prepared.labels[p]);
  Job central = job;
  central.model.width = static_cast<int>(
      combined_width(parties->aggregation_, parties->width_, parties->data_.size()));
  FEDVS_TRY(parties->central_, model::make_central(central, parties->classes_, parties->seed_));
  if (job.method == Method::kWaitDp) {
    parties->release_ = RowRelease::calibrated(job.dp.clip, job.dp.epsilon, job.dp.delta);
  }
  return parties;
}

RowCosts Parties::costs() const {
  RowCosts costs;
  for (const auto& network : networks_) costs.client_macs.push_back(network->macs_per_row());
  costs.central_macs = central_->forward_macs_per_row();
  costs.bytes = width_ * sizeof(float);
  return costs;
}

data::Table Parties::features(int client, data::Part part, const Samples& samples) const {
  const auto& all =
      data_[static_cast<std::size_t>(client)].features[static_cast<std::size_t>(part)];
  data::Table some{samples.size(), all.cols, {}};
  some.values.reserve(samples.size() * all.cols);
  for (std::size_t sample : samples) {
    some.values.insert(some.values.end(), all.row(sample), all.row(sample) + all.cols);
  }
  return some;
}

std::vector<int> Parties::labels_of(const Samples& samples) const {
  std::vector<int> labels;
  for (std::size_t sample : samples) labels.push_back(labels_[0][sample]);
  return labels;
}

std::vector<float> Parties::upload(int client, const Samples& samples, std::uint64_t round) {
  constexpr std::uint64_t kNoise = 0xd9u;
  auto embeddings = networks_[static_cast<std::size_t>(client)]->embed(
      features(client, data::Part::kTrain, samples));
  if (release_) {
    auto random = PublicRandom::keyed({seed_, kNoise, static_cast<std::uint64_t>(client), round});
    release_->apply(embeddings, width_, random);
  }
  return embeddings;
}

Parties::Learned Parties::teach_server(const Embeddings& embeddings, const Samples& samples) {
  const auto combined = combine(aggregation_, embeddings, width_);
  auto learned = central_->learn(combined.values, labels_of(samples));
  return {learned.loss, std::move(learned.gradient)};
}

void Parties::teach(int client, const Samples& samples, const Embeddings& embeddings,
                    const Learned& learned) {
  const auto n = static_cast<std::size_t>(client);
  auto gradient = gradient_of(aggregation_, embeddings, width_, n, learned.gradient);
  const auto rows = features(client, data::Part::kTrain, samples);
  if (release_) release_->back(networks_[n]->embed(rows), width_, gradient);
  networks_[n]->learn(rows, gradient);
}

void Parties::scale_rate(double factor) {
  central_->scale_rate(factor);
  for (auto& network : networks_) network->scale_rate(factor);
}

model::Metrics Parties::evaluate(data::Part part) {
  constexpr std::size_t kChunk = 1024;
  std::vector<float> probabilities;
  for (std::size_t from = 0; from < rows(part); from += kChunk) {
    Samples samples(std::min(kChunk, rows(part) - from));
    std::iota(samples.begin(), samples.end(), from);
    Embeddings embeddings(networks_.size());
    for_all(networks_.size(), [&](std::size_t n) {
      embeddings[n] = networks_[n]->embed(features(static_cast<int>(n), part, samples));
      if (release_) release_->cut(embeddings[n], width_);  // what the central model was trained on
    });
    const auto some = central_->predict(combine(aggregation_, embeddings, width_).values);
    probabilities.insert(probabilities.end(), some.begin(), some.end());
  }
  return model::evaluate(probabilities, labels_[static_cast<int>(part)], classes_);
}

Parties::Parts Parties::save() const {
  Parts parts{{"central", central_->save()}};
  for (std::size_t n = 0; n < networks_.size(); ++n) parts[part_of(n)] = networks_[n]->save();
  return parts;
}

Status Parties::restore(const Parts& parts) {
  FEDVS_TRY(const auto central, sim::find_part(parts, "central"));
  FEDVS_TRY_STATUS(central_->load(central));
  for (std::size_t n = 0; n < networks_.size(); ++n) {
    FEDVS_TRY(const auto bytes, sim::find_part(parts, part_of(n)));
    FEDVS_TRY_STATUS(networks_[n]->load(bytes));
  }
  return {};
}

}  // namespace fedvs::baselines
