#include "fedvs/experiments/table1.h"

#include <fmt/format.h>

#include <map>

namespace fedvs::experiments {

double paper_accuracy(int layers, const std::string& network) {
  static const std::map<std::string, std::vector<double>> kPaper = {{"mlp", {88.35, 88.60, 88.70}},
                                                                    {"cnn", {90.48, 90.79, 91.53}},
                                                                    {"pn", {88.19, 88.31, 88.49}}};
  return kPaper.at(network).at(static_cast<std::size_t>(layers - 1));
}

report::Table table1_beside_paper(const std::vector<Outcome>& lines) {
  report::Table table{.caption = "Test accuracy at the end, and the paper's",
                      .columns = {"layers", "MLP", "CNN", "PN"},
                      .rows = {}};
  for (int layers = 1; layers <= kLayers; ++layers) {
    std::vector<std::string> row = {std::to_string(layers)};
    for (const char* network : {"mlp", "cnn", "pn"}) {
      const Outcome* outcome = find(lines, fmt::format("{} {}", network, layers));
      const std::string ours =
          outcome == nullptr ? "–" : fmt::format("{:.2f} %", 100 * end_accuracy(*outcome).mean);
      row.push_back(fmt::format("{} (paper: {:.2f} %)", ours, paper_accuracy(layers, network)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace fedvs::experiments
