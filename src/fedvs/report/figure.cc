#include "fedvs/report/figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "fedvs/base/files.h"
#include "fedvs/report/gnuplot.h"
#include "fedvs/report/palette.h"

namespace fedvs::report {
namespace {

Error unusable(const Chart& chart, const std::string& why) {
  return {ErrorCode::kBadFile, fmt::format("cannot draw chart {}: {}", chart.id, why)};
}

Result<std::string> terminal(const std::filesystem::path& path) {
  if (path.extension() == ".svg") {
    return std::string(
        "svg size 720,450 dynamic noenhanced background '#ffffff' font 'DejaVu Sans,13'");
  }
  if (path.extension() == ".png") {
    return std::string(
        "pngcairo size 1440,900 linewidth 2 noenhanced background '#ffffff' font "
        "'DejaVu Sans,24'");
  }
  return Error{ErrorCode::kBadFile,
               fmt::format("{}: a figure's name ends in .svg or .png", path.string())};
}

struct Drawn {
  std::string name;
  const Curve* curve;
};

Result<std::vector<Drawn>> drawn_series(const Chart& chart, const std::string& axis) {
  std::vector<Drawn> drawn;
  for (const auto& series : chart.series) {
    const auto found = series.curves.find(axis);
    if (found != series.curves.end() && !found->second.x.empty()) {
      drawn.push_back({series.name, &found->second});
    }
  }
  if (drawn.empty()) return unusable(chart, "no series has a curve over " + axis);
  return drawn;
}

Result<std::string> label_of(const Chart& chart, const std::string& axis) {
  std::vector<std::string> keys;
  for (const auto& one : chart.axes) {
    if (one.key == axis) return one.label;
    keys.push_back(one.key);
  }
  return unusable(chart, fmt::format("it has no x axis {}, only {}", axis, fmt::join(keys, ", ")));
}

// gnuplot reads NaN as a gap.
std::string data_block(std::size_t index, const Curve& curve) {
  std::string text = fmt::format("$curve{} << END\n", index);
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    text += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", curve.x[i], curve.mean[i], curve.low[i],
                        curve.high[i]);
  }
  return text + "END\n";
}

std::string spread_part(std::size_t index, const Look& look) {
  constexpr const char* kTransparency = "d6";  // the page's shade: 16 % of the colour
  return fmt::format("$curve{} using 1:3:4 with filledcurves fc rgb '#{}{}' notitle", index,
                     kTransparency, look.colour.substr(1));
}

std::string line_part(std::size_t index, const Look& look, const std::string& name) {
  const std::string dash =
      look.dash.empty() ? "solid" : fmt::format("({})", fmt::join(look.dash, ","));
  return fmt::format("$curve{} using 1:2 with lines lc rgb '{}' lw {} dt {} title {}", index,
                     look.colour, look.width, dash, gnuplot_text(name));
}

// Shades first, so that no line is under one.
std::string plot_command(const std::vector<Drawn>& drawn) {
  std::vector<std::string> names, shades, lines;
  for (const auto& series : drawn) names.push_back(series.name);
  const auto looks = looks_of(names);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i].curve->low != drawn[i].curve->high) shades.push_back(spread_part(i, looks[i]));
    lines.push_back(line_part(i, looks[i], drawn[i].name));
  }
  shades.insert(shades.end(), lines.begin(), lines.end());
  return fmt::format("plot {}\n", fmt::join(shades, ", \\\n     "));
}

// Logarithmic where the shortest line would be a tenth of the figure at the most.
std::string x_range(const std::vector<Drawn>& drawn) {
  const auto end = [](const Drawn& series) { return series.curve->x.back(); };
  const auto begin = [](const Drawn& series) { return series.curve->x.front(); };
  const double shortest = std::ranges::min(drawn | std::views::transform(end));
  const double longest = std::ranges::max(drawn | std::views::transform(end));
  const bool positive = std::ranges::min(drawn | std::views::transform(begin)) > 0;
  return positive && longest >= 10 * shortest ? "set logscale x\n" : "set xrange [0:*]\n";
}

}  // namespace

Status write_figure(const Chart& chart, const std::string& axis,
                    const std::filesystem::path& path) {
  FEDVS_TRY(const std::string kind, terminal(path));
  FEDVS_TRY(const std::string label, label_of(chart, axis));
  FEDVS_TRY(const auto drawn, drawn_series(chart, axis));
  std::string script = fmt::format(
      "set terminal {}\nset output figure\nset encoding utf8\nset title {}\nset xlabel {} offset "
      "0,0.6\n"
      "set ylabel {}\nset border 3 lc rgb '#55606e'\nset tics nomirror out\nset grid ytics lc rgb "
      "'#e8ebef' lt 1\n"
      "set key outside below center horizontal Left reverse samplen 3\n",
      kind, gnuplot_text(chart.title), gnuplot_text(label), gnuplot_text(chart.y));
  script += x_range(drawn);
  for (std::size_t i = 0; i < drawn.size(); ++i) script += data_block(i, *drawn[i].curve);
  script += plot_command(drawn);
  FEDVS_TRY(const std::string figure, draw_with_gnuplot(script));
  return write_atomically(path, std::string_view(figure));
}

}  // namespace fedvs::report
