#include "fedvs/experiments/outcome_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace fedvs::experiments {
namespace {

constexpr const char* kNothing = "–";

std::string accuracy_cell(const Spread& s, std::size_t seeds) {
  if (seeds == 0) return kNothing;
  if (seeds == 1) return fmt::format("{:.2f}", 100 * s.mean);
  return fmt::format("{:.2f} ({:.2f}–{:.2f})", 100 * s.mean, 100 * s.low, 100 * s.high);
}

std::string time_cell(const Outcome& outcome, double accuracy) {
  const Reached reached = seconds_to(outcome, accuracy);
  if (reached.seeds == 0) return outcome.seeds.empty() ? kNothing : "never";
  const std::string seconds = fmt::format("{:.4g}", reached.seconds);
  if (reached.seeds == outcome.seeds.size()) return seconds;
  return fmt::format("{} ({} of {})", seconds, reached.seeds, outcome.seeds.size());
}

std::string speed_cell(const Outcome& outcome, const Outcome& reference, double best) {
  const auto speed = speed_up(outcome, reference, best);
  return speed ? fmt::format("{:.3g}× at {:.0f} %", speed->times, 100 * speed->share) : kNothing;
}

std::string blocks_cell(const Outcome& outcome) {
  const std::set<int> values(outcome.blocks.begin(), outcome.blocks.end());
  return values.empty() ? kNothing : fmt::format("{}", fmt::join(values, ", "));
}

std::vector<std::string> row_of(const Outcome& outcome, double best,
                                const std::vector<const Outcome*>& references) {
  const std::size_t seeds = outcome.seeds.size();
  std::vector<std::string> row = {outcome.name, blocks_cell(outcome),
                                  fmt::format("{} of {}", seeds, outcome.wanted),
                                  accuracy_cell(end_accuracy(outcome), seeds)};
  for (double share : kShares) row.push_back(time_cell(outcome, share * best));
  row.push_back(seeds == 0 ? kNothing : fmt::format("{:.4g}", end_seconds(outcome).mean));
  row.push_back(seeds == 0 ? kNothing : fmt::format("{:.4g}", end_megabytes(outcome).mean));
  for (const auto* reference : references) row.push_back(speed_cell(outcome, *reference, best));
  return row;
}

// Characters, not bytes, of UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

report::Table outcome_table(const std::vector<Outcome>& outcomes,
                            const std::vector<std::string>& references) {
  const double best = best_accuracy(outcomes);
  report::Table table;
  table.caption = fmt::format(
      "Accuracy at the end, mean and range over the seeds. Virtual time until a run first reaches "
      "90, 95 and 99 % of {:.2f} %, the best mean accuracy of any line: the mean of the seeds that "
      "get there, and how many do if not all. How many times faster: at the largest of these that "
      "all seeds of both reach",
      100 * best);
  table.columns = {"method", "K", "seeds", "accuracy, %"};
  for (double share : kShares) table.columns.push_back(fmt::format("to {:.0f} %, s", 100 * share));
  table.columns.insert(table.columns.end(), {"in all, s", "MB per client"});
  std::vector<const Outcome*> compared;
  for (const auto& name : references) {
    const Outcome* reference = find(outcomes, name);
    if (reference == nullptr) continue;
    compared.push_back(reference);
    table.columns.push_back("faster than " + name);
  }
  for (const auto& outcome : outcomes) table.rows.push_back(row_of(outcome, best, compared));
  return table;
}

std::string text_of(const report::Table& table) {
  std::vector<std::vector<std::string>> lines = {table.columns};
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      widths[c] = std::max(widths[c], width_of(line[c]));
    }
  }
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      row += "  " + line[c] + std::string(widths[c] - width_of(line[c]), ' ');
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace fedvs::experiments
