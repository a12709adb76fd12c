#include "fedvs/baselines/vafl.h"

#include <algorithm>
#include <numeric>

#include "fedvs/baselines/for_all.h"

namespace fedvs::baselines {

Vafl::Vafl(const Job& job, std::unique_ptr<Parties> given, protocol::Observer& observer)
    : PlainTrial(job, std::move(given), observer),
      on_the_way_(static_cast<std::size_t>(client_count())),
      gathered_(static_cast<std::size_t>(client_count())),
      last_round_(static_cast<std::size_t>(client_count()), 0) {
  const std::size_t rows = parties().rows(data::Part::kTrain);
  for (int n = 0; n < client_count(); ++n) {
    batches_.emplace_back(rows, static_cast<std::size_t>(job.train.batch_size),
                          static_cast<std::uint64_t>(job.sim.seed),
                          static_cast<std::uint64_t>(n) + 1);
  }
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  stored_.resize(rows * gathered_.size() * parties().width());
  for_all(gathered_.size(),
          [&](std::size_t n) { store(n, all, parties().upload(static_cast<int>(n), all, 0)); });
  arrivals_ = std::make_unique<Arrivals>(
      machines(), [this](int client, std::uint64_t) { return take_batch(client); });
}

std::size_t Vafl::take_batch(int client) {
  const auto n = static_cast<std::size_t>(client);
  on_the_way_[n] = batches_[n].take();
  return on_the_way_[n].size();
}

float* Vafl::stored(std::size_t row, std::size_t client) {
  return stored_.data() + (row * gathered_.size() + client) * parties().width();
}

void Vafl::store(std::size_t client, const std::vector<std::size_t>& rows,
                 const std::vector<float>& embeddings) {
  const std::size_t width = parties().width();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(embeddings.data() + i * width, width, stored(rows[i], client));
  }
}

void Vafl::gather(const std::vector<std::size_t>& rows) {
  const std::size_t width = parties().width();
  for (auto& one : gathered_) one.resize(rows.size() * width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t n = 0; n < gathered_.size(); ++n) {
      std::copy_n(stored(rows[i], n), width, gathered_[n].data() + i * width);
    }
  }
}

// The upload is computed when it arrives: the client's weights wait for its answer.
double Vafl::learn_from(int client) {
  const auto n = static_cast<std::size_t>(client);
  const auto& samples = on_the_way_[n];
  gather(samples);
  gathered_[n] = parties().upload(client, samples, 0);
  store(n, samples, gathered_[n]);
  const auto learned = parties().teach_server(gathered_, samples);
  parties().teach(client, samples, gathered_, learned);
  return learned.loss;
}

Vafl::Round Vafl::train_round(std::uint64_t round) {
  Round result;
  result.started = ended_;
  for (int i = 0; i < client_count(); ++i) {
    const auto arrival = arrivals_->next();
    result.loss += learn_from(arrival.client) / client_count();
    result.samples += on_the_way_[static_cast<std::size_t>(arrival.client)].size();
    if (std::ranges::find(result.answered, arrival.client) == result.answered.end()) {
      result.answered.push_back(arrival.client);  // in the order of first arrivals
    }
    last_round_[static_cast<std::size_t>(arrival.client)] = round;
    result.ended = ended_ = arrival.learned;
  }
  result.samples /= static_cast<std::size_t>(client_count());
  result.trained.assign(last_round_.begin(), last_round_.end());
  return result;
}

Status Vafl::replay(std::uint64_t rounds) {
  if (rounds == 0) return {};
  return Error{ErrorCode::kBadJob,
               "a run of method vafl cannot be resumed: its server stores an embedding of every "
               "row and client, which checkpoints leave out; start it anew"};
}

}  // namespace fedvs::baselines
