#include "fedvs/baselines/synchronous.h"

#include "fedvs/baselines/for_all.h"

namespace fedvs::baselines {

Synchronous::Synchronous(const Job& job, std::unique_ptr<Parties> given,
                         protocol::Observer& observer)
    : PlainTrial(job, std::move(given), observer),
      batches_(parties().rows(data::Part::kTrain), static_cast<std::size_t>(job.train.batch_size),
               static_cast<std::uint64_t>(job.sim.seed), 0),
      rounds_(machines(),
              client_count() - (job.method == Method::kIgnore ? delays().stragglers() : 0)) {}

Synchronous::Round Synchronous::train_round(std::uint64_t round) {
  const auto& samples = batches_.take();
  const auto closed = rounds_.run(samples.size());
  const auto for_answered = [&](const auto& work) {
    for_all(closed.answered.size(), [&](std::size_t i) { work(closed.answered[i]); });
  };
  Embeddings embeddings(static_cast<std::size_t>(client_count()));
  for_answered([&](int n) {
    embeddings[static_cast<std::size_t>(n)] = parties().upload(n, samples, round);
  });
  const auto learned = parties().teach_server(embeddings, samples);
  for_answered([&](int n) { parties().teach(n, samples, embeddings, learned); });

  Round result{closed.answered, closed.started, closed.closed, learned.loss, samples.size(), {}};
  result.trained.resize(embeddings.size());
  for (int n : closed.answered) result.trained[static_cast<std::size_t>(n)] = round;
  return result;
}

Status Synchronous::replay(std::uint64_t rounds) {
  for (std::uint64_t r = 0; r < rounds; ++r) rounds_.run(batches_.take().size());
  return {};
}

}  // namespace fedvs::baselines
