// Table 1: CNN clients are best, PN clients come close.
#include <fmt/format.h>

#include <cmath>

#include "fedvs/study/judge.h"
#include "fedvs/study/table1.h"

namespace fedvs::study {

std::vector<Verdict> judge_table1(const Panels& panels) {
  Tally order, near;
  for (const auto& panel : panels) {
    for (int layers = 1; layers <= kLayers; ++layers) {
      const auto cell = [&](const char* network) {
        const Outcome* outcome = find(panel.lines, fmt::format("{} {}", network, layers));
        return outcome == nullptr ? NAN : 100 * end_accuracy(*outcome).mean;
      };
      const double mlp = cell("mlp"), cnn = cell("cnn"), pn = cell("pn");
      if (std::isnan(mlp + cnn + pn)) continue;
      order.add(cnn > mlp && mlp > pn, fmt::format("{} layers: CNN {:.2f}, MLP {:.2f}, PN {:.2f} %",
                                                   layers, cnn, mlp, pn));
      const double paper = paper_accuracy(layers, "pn");
      near.add(std::abs(pn - paper) <= 1,
               fmt::format("{} layers: {:+.2f} points", layers, pn - paper));
    }
  }
  return {order.verdict("CNN clients are most accurate, then MLP, then PN"),
          near.verdict("PN clients reach the paper's accuracy within 1 point")};
}

}  // namespace fedvs::study
