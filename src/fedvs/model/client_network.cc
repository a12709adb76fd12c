#include "fedvs/model/client_network.h"

#include "fedvs/model/client_polynomial.h"
#include "fedvs/model/client_torch.h"

namespace fedvs::model {

OptimizerSettings client_optimizer(const Job& job) {
  return {.kind = job.train.client_optimizer,
          .rate = job.train.lr_client,
          .momentum = job.train.momentum,
          .weight_decay = job.train.weight_decay};
}

Result<std::unique_ptr<ClientNetwork>> make_client_network(const Job& job, int client, int features,
                                                           Prng& random) {
  const auto& degrees = job.model.degrees;
  const int degree =
      degrees.size() == 1 ? degrees[0] : degrees.at(static_cast<std::size_t>(client));
  if (job.model.client != "pn") {
    return make_torch_client(job, features, degree, random.next_u64());
  }
  auto network = PolynomialNetwork::initial(
      features, degree, static_cast<std::size_t>(job.model.width), job.model.init_scale, random);
  FEDVS_TRY(auto optimizer, Optimizer::create(client_optimizer(job), network.weights.size()));
  return std::unique_ptr<ClientNetwork>(
      new ClientPolynomial(std::move(network), degree, std::move(optimizer)));
}

}  // namespace fedvs::model
