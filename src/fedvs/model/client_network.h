// A client's network in plaintext split learning, which FedVS is compared with.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/prng.h"
#include "fedvs/base/result.h"
#include "fedvs/data/dataset.h"
#include "fedvs/job/job.h"
#include "fedvs/model/optimizer.h"

namespace fedvs::model {

class ClientNetwork {
 public:
  virtual ~ClientNetwork() = default;

  // Embeddings of these rows of features by the weights as they are: rows x width.
  virtual std::vector<float> embed(const data::Table& features) = 0;
  // One step. gradient: of the loss, by the embeddings of these rows.
  virtual void learn(const data::Table& features, std::span<const float> gradient) = 0;
  virtual void scale_rate(double factor) = 0;
  virtual double macs_per_row() const = 0;  // of embed; of learn as many again
  // Weights and optimiser.
  virtual std::string save() const = 0;
  virtual Status load(const std::string& bytes) = 0;  // kCorrupt
};

OptimizerSettings client_optimizer(const Job& job);

// job.model.client: pn (the very network and initial weights of FedVS), mlp or cnn, of
// job.model.degrees layers. kBadJob for a cnn on features that are no rows of pixels.
Result<std::unique_ptr<ClientNetwork>> make_client_network(const Job& job, int client, int features,
                                                           Prng& random);

}  // namespace fedvs::model
