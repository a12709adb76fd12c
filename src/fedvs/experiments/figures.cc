#include "fedvs/experiments/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "fedvs/base/check.h"
#include "fedvs/experiments/compute_dominant.h"
#include "fedvs/job/parse.h"

namespace fedvs::experiments {
namespace {

using Sets = std::vector<std::string>;

Sets operator+(Sets sets, const Sets& more) {
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

const Sets kFashion = {"data.name=fashion-mnist"};

int default_seeds(Size size) { return size == Size::kQuick ? 1 : 5; }

// Our optimisers and rates with the paper's batch sizes: delays of model shares grow as batches
// shrink, so these decide how much a round waits for them. In Figure 2 rates fall so far that every
// method has settled at the end, those that learn from old models too.
struct Training {
  std::string_view data;
  int batch_size, epochs, quick_epochs;
  double rate_decay;  // per epoch; 0: the data set's own
};
constexpr std::array<Training, 6> kTraining{{{"fashion-mnist", 256, 15, 2, 0},
                                             {"emnist", 256, 12, 1, 0},
                                             {"handwritten", 32, 15, 5, 0},
                                             {"caltech7", 8, 20, 3, 0.85},
                                             {"credit-card", 32, 4, 1, 0},
                                             {"parkinson", 16, 30, 10, 0.9}}};

Sets training(Size size, std::string_view data) {
  const auto* found = std::ranges::find(kTraining, data, &Training::data);
  FEDVS_CHECK(found != kTraining.end(), "one of the paper's data sets");
  const int epochs = size == Size::kQuick ? found->quick_epochs : found->epochs;
  Sets sets = {fmt::format("train.batch_size={}", found->batch_size),
               fmt::format("train.epochs={}", epochs)};
  if (found->rate_decay > 0) sets.push_back(fmt::format("train.lr_decay={}", found->rate_decay));
  return sets;
}

// Enough to tell settings apart on Fashion-MNIST.
Sets few_epochs(Size size, int epochs) {
  Sets sets = training(size, "fashion-mnist");
  if (size != Size::kQuick) sets.push_back(fmt::format("train.epochs={}", epochs));
  return sets;
}

// Aggregations x ways with stragglers: 16 clients, 60 % of them slow. Half of Figure 2's epochs, so
// rates fall twice as fast and end as low.
FigureDefinition fig1(Size size) {
  FigureDefinition figure{"fig1", "Figure 1: aggregations and stragglers", default_seeds(size), {}};
  for (const std::string aggregation : {"average", "concat", "max"}) {
    const Sets common = kFashion + few_epochs(size, 8) +
                        Sets{"train.lr_decay=0.74", "data.clients=16", "sim.straggler_share=0.6",
                             "model.aggregation=" + aggregation};
    PanelDefinition panel{"fig1-" + aggregation, "Aggregation: " + aggregation, {}};
    panel.lines.push_back({"no stragglers", common + Sets{"method=wait", "sim.delays=none"}});
    for (const std::string method : {"wait", "ignore", "vafl"}) {
      panel.lines.push_back({method, common + Sets{"method=" + method}});
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

// Few epochs want a rate that falls fast.
Sets table1_epochs(Size size) {
  if (size == Size::kFull) return {"train.epochs=15"};
  return {"train.lr_decay=0.6", size == Size::kQuick ? "train.epochs=1" : "train.epochs=4"};
}

// Clients' networks x layers: 4 clients, VGG13 at the server.
FigureDefinition table1(Size size) {
  FigureDefinition figure{"table1", "Table 1: clients' networks", size == Size::kFull ? 5 : 1, {}};
  PanelDefinition panel{"table1", "Clients' networks below a VGG13", {}};
  const Sets common =
      kFashion + table1_epochs(size) +
      Sets{"data.clients=4", "method=wait",    "sim.delays=none",      "model.central=vgg13",
           "model.width=64", "train.lr=0.001", "train.lr_client=0.001"};
  for (const std::string network : {"mlp", "cnn", "pn"}) {
    for (int layers = 1; layers <= 3; ++layers) {
      panel.lines.push_back(
          {fmt::format("{} {}", network, layers),
           common + Sets{"model.client=" + network, fmt::format("model.degrees={}", layers)}});
    }
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

// Data sets x methods. K is chosen for each.
FigureDefinition fig2(Size size) {
  FigureDefinition figure{"fig2", "Figure 2: six data sets, all methods", default_seeds(size), {}};
  for (const auto& data : paper_data_sets()) {
    PanelDefinition panel{"fig2-" + data, data, {}};
    for (const std::string method : {"fedvs", "fedvs-paper", "wait", "ignore", "vafl", "wait-dp"}) {
      panel.lines.push_back(
          {method, Sets{"data.name=" + data, "method=" + method} + training(size, data)});
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

// A line per value of a key: of the paper's method, and of ours.
void add_panels(FigureDefinition& figure, const std::string& id, const std::string& title,
                const std::string& letter, const std::vector<int>& values, const Sets& common) {
  for (const std::string method : {"fedvs-paper", "fedvs"}) {
    PanelDefinition panel{
        fmt::format("{}-{}", id, method), fmt::format("{}: {}", title, method), {}};
    for (int value : values) {
      panel.lines.push_back(
          {fmt::format("{} = {}", letter, value),
           common + Sets{"method=" + method, fmt::format("code.{}={}", letter, value)}});
    }
    figure.panels.push_back(std::move(panel));
  }
}

// K from 1 to 12: N = 28 clients and T = 1 allow up to 13.
FigureDefinition fig3(Size size) {
  const std::vector<int> blocks = {1, 2, 4, 6, 8, 10, 12};
  const Sets common = kFashion + few_epochs(size, 4);
  FigureDefinition figure{"fig3", "Figure 3: the number of segments K", default_seeds(size), {}};
  add_panels(figure, "fig3-delay", "Delays dominate", "K", blocks, common);
  // Sharing rows takes such clients minutes, in which they are not to be taken for dead.
  add_panels(figure, "fig3-compute", "Computing dominates", "K", blocks,
             common + Sets{fmt::format("sim.client_gmacs={:.4g}", compute_dominant_gmacs()),
                           "protocol.dead_after=1e6"});
  return figure;
}

// T from 1 to 6 at K = 4, so that R = 2 (K + T - 1) + 1 grows from 9, below the 14 prompt clients,
// to 19, beyond them.
FigureDefinition fig4(Size size) {
  const Sets common = kFashion + few_epochs(size, 4) + Sets{"code.K=4"};
  FigureDefinition figure{"fig4", "Figure 4: colluding clients T", default_seeds(size), {}};
  add_panels(figure, "fig4", "K = 4", "T", {1, 2, 4, 6}, common);
  return figure;
}

}  // namespace

const std::vector<std::string>& figure_keys() {
  static const std::vector<std::string> keys = {"fig1", "table1", "fig2", "fig3", "fig4"};
  return keys;
}

const std::vector<std::string>& paper_data_sets() {
  static const std::vector<std::string> names = {"fashion-mnist", "emnist",      "handwritten",
                                                 "caltech7",      "credit-card", "parkinson"};
  return names;
}

FigureDefinition define_figure(const std::string& key, Size size) {
  if (key == "fig1") return fig1(size);
  if (key == "table1") return table1(size);
  if (key == "fig2") return fig2(size);
  if (key == "fig3") return fig3(size);
  FEDVS_CHECK(key == "fig4", "callers have looked the key up in figure_keys()");
  return fig4(size);
}

std::string how_it_is_done(const std::string& key) {
  if (key == "fig1") {
    return "Plaintext split learning on Fashion-MNIST, its pixels dealt to 16 clients of which 10 "
           "straggle: wait for all, ignore the slow, or take every upload as it comes (VAFL), and "
           "wait without any delays to compare with. 8 epochs; rates fall by 0.74 after each.";
  }
  if (key == "table1") {
    return "Plaintext split learning on Fashion-MNIST without stragglers: 4 clients, a VGG13 on "
           "their averaged embeddings of width 64. 4 epochs (--full: 15).";
  }
  if (key == "fig2") {
    return "All methods on the same delays, rows, initial weights and rates. fedvs-paper is the "
           "paper's protocol: unmasked, every round waits for every model share. fedvs is ours: "
           "masked, late models reused. Each has the K that is predicted to be its best.";
  }
  if (key == "fig3") {
    return "Fashion-MNIST, 28 clients, T = 1. Where computing dominates, clients are so slow that "
           "evaluating a batch at K = 1 takes ten times the mean delay. 4 epochs.";
  }
  if (key == "fig4") {
    return "Fashion-MNIST, 28 clients, K = 4, so that R grows from 9 to 19 of them; 14 straggle. 4 "
           "epochs.";
  }
  return {};
}

Status add_figure(Plan& plan, const FigureDefinition& definition, int seeds, const Sets& sets) {
  Figure figure{definition.key, definition.title, {}};
  for (const auto& panel : definition.panels) {
    figure.panels.push_back({panel.id, panel.title, {}});
    for (const auto& defined : panel.lines) {
      Line line{defined.name, {}};
      for (int seed = 1; seed <= seeds; ++seed) {
        const Sets seeded = {fmt::format("sim.seed={}", seed),
                             fmt::format("data.split_seed={}", seed)};
        FEDVS_TRY(Job job, complete_job({.toml = {}, .sets = defined.sets + seeded + sets}));
        plan.add_run(line, std::move(job));
      }
      figure.panels.back().lines.push_back(std::move(line));
    }
  }
  plan.study.figures.push_back(std::move(figure));
  return {};
}

}  // namespace fedvs::experiments
