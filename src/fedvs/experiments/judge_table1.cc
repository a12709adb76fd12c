// Table 1: CNN clients are best, PN clients come close.
#include <fmt/format.h>

#include <cmath>

#include "fedvs/experiments/judge.h"
#include "fedvs/experiments/table1.h"

namespace fedvs::experiments {

namespace {

// Percent; NaN where it is missing.
double cell(Tally& tally, const PanelOutcome& panel, const char* network, int layers) {
  const Outcome* outcome = tally.line(panel, fmt::format("{} {}", network, layers));
  return outcome == nullptr ? NAN : 100 * end_accuracy(*outcome).mean;
}

void judge_layers(const PanelOutcome& panel, int layers, Tally& order, Tally& near) {
  const double mlp = cell(order, panel, "mlp", layers), cnn = cell(order, panel, "cnn", layers),
               pn = cell(order, panel, "pn", layers);
  if (!std::isnan(mlp + cnn + pn)) {
    order.add(cnn > mlp && mlp > pn,
              fmt::format("{} layers: CNN {:.2f}, MLP {:.2f}, PN {:.2f} %", layers, cnn, mlp, pn));
  }
  const double above = cell(near, panel, "pn", layers) - paper_accuracy(layers, "pn");
  if (std::isnan(above)) return;
  near.add(std::abs(above) <= 1, fmt::format("{} layers: {:+.2f} points", layers, above));
}

}  // namespace

std::vector<Verdict> judge_table1(const Panels& panels) {
  Tally order, near;
  for (const auto& panel : panels) {
    for (int layers = 1; layers <= kLayers; ++layers) judge_layers(panel, layers, order, near);
  }
  return {order.verdict("CNN clients are most accurate, then MLP, then PN"),
          near.verdict("PN clients reach the paper's accuracy within 1 point")};
}

}  // namespace fedvs::experiments
