#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fedvs/data/catalog.h"

namespace fedvs::data {
namespace {

std::string features_per_client(const Dataset& set) {
  std::vector<std::string> runs;
  for (std::size_t n = 0; n < set.client_columns.size();) {
    const std::size_t width = set.client_columns[n].size(), from = n;
    while (n < set.client_columns.size() && set.client_columns[n].size() == width) ++n;
    runs.push_back(n - from == 1 ? fmt::format("{}", width)
                                 : fmt::format("{} x {}", n - from, width));
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

std::string class_balance(const Dataset& set) {
  std::vector<std::size_t> count(static_cast<std::size_t>(set.classes), 0);
  for (int label : set.labels) ++count[static_cast<std::size_t>(label)];
  std::vector<std::string> parts;
  for (std::size_t c = 0; c < count.size(); ++c)
    parts.push_back(fmt::format(
        "{} {} ({:.1f} %)", set.class_names[c], count[c],
        100.0 * static_cast<double>(count[c]) / static_cast<double>(set.labels.size())));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string test_rows(const Dataset& set) {
  if (set.test_from)
    return fmt::format("the published {} rows", set.features.rows - *set.test_from);
  return fmt::format("{:.0f} % of the rows, drawn by data.split_seed", 100 * set.test_share);
}

}  // namespace

std::string describe(const Dataset& set) {
  std::string out;
  out += fmt::format("rows      {}\n", set.features.rows);
  out += fmt::format("testing   {}\n", test_rows(set));
  out += fmt::format("features  {}\n", set.features.cols);
  out += fmt::format("clients   {}, with {} features\n", set.client_columns.size(),
                     features_per_client(set));
  out += fmt::format("classes   {}: {}\n", set.classes, class_balance(set));
  return out;
}

Result<std::string> describe(const std::string& name) {
  FEDVS_TRY(const CatalogEntry entry, find_entry(name));
  std::string out = fmt::format("{}: {}\nsource    {}\nlicense   {}\nnote      {}\n", name,
                                entry.title, entry.source, entry.license, entry.note);
  DataJob job;
  job.name = name;
  const Result<Dataset> set = load(job);
  if (set) return out + describe(*set);
  out += fmt::format("expected  {} rows, {} features, {} clients, {} classes\n", entry.rows,
                     entry.features, entry.clients, entry.classes);
  return out + "not read  " + set.error().message + "\n";
}

}  // namespace fedvs::data
