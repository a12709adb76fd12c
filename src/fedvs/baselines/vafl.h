// Method vafl: no rounds at all. The server stores every row's last embedding of every client, at
// first from the initial models, and takes one step per arrival; only the client that arrived
// learns. N arrivals count as one round.
#pragma once
#include "fedvs/baselines/arrivals.h"
#include "fedvs/baselines/batches.h"
#include "fedvs/baselines/plain_trial.h"

namespace fedvs::baselines {

class Vafl final : public PlainTrial {
 public:
  Vafl(const Job& job, std::unique_ptr<Parties> parties, protocol::Observer& observer);

 private:
  Round train_round(std::uint64_t round) override;
  Status replay(std::uint64_t rounds) override;  // kBadJob: what it stores is not in checkpoints
  double learn_from(int client);                 // the loss
  std::size_t take_batch(int client);
  float* stored(std::size_t row, std::size_t client);
  void store(std::size_t client, const std::vector<std::size_t>& rows,
             const std::vector<float>& embeddings);
  void gather(const std::vector<std::size_t>& rows);  // of all clients, into gathered_

  std::vector<Batches> batches_;                      // each client's own
  std::vector<std::vector<std::size_t>> on_the_way_;  // samples of each client's upload
  // Training rows x clients x width: a batch takes rows at random, and of each all clients'.
  std::vector<float> stored_;
  Embeddings gathered_;
  std::vector<std::uint64_t> last_round_;  // in which a client last arrived
  double ended_ = 0;
  std::unique_ptr<Arrivals> arrivals_;
};

}  // namespace fedvs::baselines
