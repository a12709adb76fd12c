// Clients' networks that only plaintext split learning can train: perceptrons and convolutions, by
// libtorch.
#pragma once
#include "fedvs/model/client_network.h"

namespace fedvs::model {

// layers: 1 to 3. Drawn from `seed`, PyTorch's initial weights.
Result<std::unique_ptr<ClientNetwork>> make_torch_client(const Job& job, int features, int layers,
                                                         std::uint64_t seed);

}  // namespace fedvs::model
