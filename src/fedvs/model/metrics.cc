#include "fedvs/model/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "fedvs/base/check.h"

namespace fedvs::model {
namespace {

constexpr double kSmallestProbability = 1e-30;  // a float probability of 0 costs 69, not infinity

struct Confusion {
  std::vector<double> actual, predicted, hits;  // per class
  double rows = 0, loss = 0;
};

std::size_t most_likely(std::span<const float> probabilities) {
  return static_cast<std::size_t>(
      std::distance(probabilities.begin(), std::ranges::max_element(probabilities)));
}

Confusion confusion(std::span<const float> probabilities, std::span<const int> labels,
                    std::size_t classes) {
  Confusion c{std::vector<double>(classes), std::vector<double>(classes),
              std::vector<double>(classes)};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = probabilities.subspan(i * classes, classes);
    const std::size_t label = static_cast<std::size_t>(labels[i]);
    FEDVS_CHECK(label < classes, "a label lies outside the classes");
    const std::size_t answer = most_likely(row);
    c.actual[label] += 1;
    c.predicted[answer] += 1;
    if (answer == label) c.hits[label] += 1;
    c.loss -= std::log(std::max(static_cast<double>(row[label]), kSmallestProbability));
  }
  c.rows = static_cast<double>(labels.size());
  return c;
}

double balanced_accuracy(const Confusion& c) {
  double recalls = 0, occurring = 0;
  for (std::size_t k = 0; k < c.actual.size(); ++k) {
    if (c.actual[k] == 0) continue;
    recalls += c.hits[k] / c.actual[k];
    occurring += 1;
  }
  return recalls / occurring;
}

// 2 TP / (2 TP + FP + FN).
double f1_of(const Confusion& c, std::size_t k) {
  const double total = c.actual[k] + c.predicted[k];
  return total == 0 ? 0 : 2 * c.hits[k] / total;
}

// Over the classes that occur among labels or answers.
double macro_f1(const Confusion& c) {
  double sum = 0, occurring = 0;
  for (std::size_t k = 0; k < c.actual.size(); ++k) {
    if (c.actual[k] + c.predicted[k] == 0) continue;
    sum += f1_of(c, k);
    occurring += 1;
  }
  return sum / occurring;
}

// The chance that a row of class 1 scores above one of class 0, ties counting half: from the sum
// of the ranks of class 1 (Mann-Whitney). None when a class is missing or a score is not a number.
std::optional<double> area_under_curve(std::span<const float> probabilities,
                                       std::span<const int> labels) {
  const auto score = [&](std::size_t i) { return probabilities[2 * i + 1]; };
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (std::ranges::any_of(order, [&](std::size_t i) { return std::isnan(score(i)); })) return {};
  std::ranges::sort(order, {}, score);
  double positives = 0, ranks = 0;
  for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
    double tied_positives = 0;
    for (; to < order.size() && score(order[to]) == score(order[from]); ++to) {
      tied_positives += labels[order[to]];
    }
    ranks += tied_positives * static_cast<double>(from + 1 + to) / 2;
    positives += tied_positives;
  }
  const double negatives = static_cast<double>(labels.size()) - positives;
  if (positives == 0 || negatives == 0) return {};
  return (ranks - positives * (positives + 1) / 2) / (positives * negatives);
}

}  // namespace

Metrics evaluate(std::span<const float> probabilities, std::span<const int> labels, int classes) {
  FEDVS_CHECK(classes >= 2, "a classifier has two classes or more");
  const std::size_t columns = static_cast<std::size_t>(classes);
  FEDVS_CHECK(probabilities.size() == labels.size() * columns, "not one row of answers per label");
  if (labels.empty()) return {};
  const Confusion c = confusion(probabilities, labels, columns);
  Metrics metrics;
  metrics.loss = c.loss / c.rows;
  metrics.accuracy = std::reduce(c.hits.begin(), c.hits.end()) / c.rows;
  metrics.balanced_accuracy = balanced_accuracy(c);
  metrics.f1 = classes == 2 ? f1_of(c, 1) : macro_f1(c);
  if (classes == 2) metrics.auc = area_under_curve(probabilities, labels);
  metrics.majority = std::ranges::max(c.actual) / c.rows;
  return metrics;
}

}  // namespace fedvs::model
