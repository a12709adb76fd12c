#include "tests/support/plaintext_twin.h"

#include "fedvs/protocol/server/batch_schedule.h"

namespace fedvs::testing {

PlaintextTwin::PlaintextTwin(const Job& job, const data::PreparedJob& prepared,
                             const protocol::Agreement& agreement)
    : job_(job), agreement_(agreement), secrets_(static_cast<std::uint64_t>(job.sim.seed)) {
  for (int n = 0; n < agreement.shape.parties; ++n) {
    const auto& width = agreement.clients[static_cast<std::size_t>(n)];
    Prng random = secrets_.stream(Purpose::kInitialWeights, n, 0);
    auto network = model::PolynomialNetwork::initial(width.features, width.degree, agreement.width,
                                                     job.model.init_scale, random);
    auto optimizer = model::Optimizer::create({.kind = job.train.client_optimizer,
                                               .rate = job.train.lr_client,
                                               .momentum = job.train.momentum,
                                               .weight_decay = job.train.weight_decay},
                                              network.weights.size());
    const auto& features = prepared.clients[static_cast<std::size_t>(n)].features;
    clients_.emplace_back(agreement, n, protocol::LocalModel::own_rows(agreement, n, features),
                          std::move(network), std::move(optimizer).value());
    clients_.back().round(0, secrets_).value();  // version 0 goes with the data
  }
  const auto seed = static_cast<std::uint64_t>(job.sim.seed);
  learner_ = std::make_unique<protocol::Learner>(
      agreement, model::make_central(job, agreement.classes, seed).value(), prepared.labels[0],
      prepared.labels[1], prepared.labels[2]);
}

// sums[(k b + i) h + j] += sum_p X[k C + rows[i]][p] W[p][j], C coded rows per segment.
void PlaintextTwin::add_client(const protocol::Plan& plan, int client,
                               std::vector<std::int64_t>& sums) const {
  const auto c = static_cast<std::size_t>(client);
  const auto& rows = clients_[c].rows(plan.part);
  std::vector<std::int32_t> x(rows.rows() * rows.cols());
  rows.integers(0, rows.rows(), x);
  const auto& w = clients_[c].rounded().at(plan.versions[c]->step);
  const std::size_t width = agreement_.width, segment = agreement_.coded_rows(plan.part);
  for (std::size_t k = 0; k < static_cast<std::size_t>(agreement_.shape.blocks); ++k) {
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
      const std::size_t sample = k * segment + plan.rows[i];
      if (sample >= rows.rows()) continue;  // padding
      for (std::size_t j = 0; j < width; ++j) {
        std::int64_t& sum = sums[(k * plan.rows.size() + i) * width + j];
        for (std::size_t p = 0; p < rows.cols(); ++p) {
          sum += std::int64_t{x[sample * rows.cols() + p]} * w[j * rows.cols() + p];
        }
      }
    }
  }
}

std::vector<std::int64_t> PlaintextTwin::sums(const protocol::Plan& plan) const {
  const auto samples = plan.rows.size() * static_cast<std::size_t>(agreement_.shape.blocks);
  std::vector<std::int64_t> sums(samples * agreement_.width, 0);
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (plan.versions[static_cast<std::size_t>(n)]) add_client(plan, n, sums);
  }
  return sums;
}

void PlaintextTwin::finish_round(double rate_factor) {
  if (!gradient_) return;
  for (auto& client : clients_) {
    client.accept(*gradient_, rate_factor);
    client.learn(*gradient_, rate_factor);
  }
  gradient_.reset();
}

void PlaintextTwin::learn(const protocol::RoundRecord& record, double& loss) {
  for (std::size_t n = 0; n < clients_.size(); ++n) {
    if (record.shared[n]) clients_[n].round(clients_[n].step(), secrets_).value();
  }
  const auto learned = learner_->learn(record.plan, sums(*record.plan));
  loss = learned.loss;
  gradient_ = learned.gradient;
}

std::vector<double> PlaintextTwin::replay(std::span<const protocol::RoundRecord> records) {
  std::vector<double> losses(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const int epoch = records[i].plan->epoch;
    const bool epoch_began = epoch > std::exchange(epoch_, epoch);
    finish_round(epoch_began ? job_.train.lr_decay : 1);
    for (; central_epochs_ < epoch; ++central_epochs_) {
      learner_->central().scale_rate(job_.train.lr_decay);
    }
    learn(records[i], losses[i]);
  }
  return losses;
}

std::vector<float> PlaintextTwin::final_probabilities() {
  return probabilities(std::vector<int>(clients_.size(), 0));
}

std::vector<float> PlaintextTwin::probabilities(std::span<const int> ages) {
  finish_round(1);
  protocol::Plan plan;
  plan.part = data::Part::kTest;
  for (std::size_t n = 0; n < clients_.size(); ++n) {
    auto& client = clients_[n];
    client.round(client.step(), secrets_).value();
    const auto step = client.step() - static_cast<protocol::StepNumber>(ages[n]);
    plan.versions.push_back(protocol::Version{step, {}});
  }
  learner_->start(plan.part);
  for (const auto& rows : protocol::evaluation_chunks(agreement_, plan.part)) {
    plan.rows = rows;
    learner_->predict(plan, sums(plan));
  }
  return learner_->probabilities();
}

model::Metrics PlaintextTwin::final_metrics(std::span<const int> ages) {
  probabilities(ages);
  return learner_->metrics(data::Part::kTest).value();
}

}  // namespace fedvs::testing
