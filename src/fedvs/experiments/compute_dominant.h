// Figure 3b: clients so slow that computing takes ten times as long as the delays.
#pragma once

namespace fedvs::experiments {

// sim.client_gmacs at which a client of Fashion-MNIST takes ten times the mean delay to evaluate a
// batch at K = 1: b D h multiply-adds, D the inputs of all clients. By the paper's delays, tuned
// settings.
double compute_dominant_gmacs();

}  // namespace fedvs::experiments
