#include "fedvs/run/metrics_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <variant>

#include "fedvs/base/files.h"

namespace fedvs::run {
namespace {

using Row = MetricsRow;
struct Column {
  std::string_view name;
  std::variant<std::int64_t Row::*, double Row::*> member;
};
const std::array kColumns = {
    Column{"epoch", &Row::epoch},
    Column{"round", &Row::round},
    Column{"virtual_seconds", &Row::virtual_seconds},
    Column{"wall_seconds", &Row::wall_seconds},
    Column{"train_loss", &Row::train_loss},
    Column{"test_loss", &Row::test_loss},
    Column{"test_accuracy", &Row::test_accuracy},
    Column{"test_balanced_accuracy", &Row::test_balanced_accuracy},
    Column{"test_f1", &Row::test_f1},
    Column{"test_auc", &Row::test_auc},
    Column{"validation_loss", &Row::validation_loss},
    Column{"validation_accuracy", &Row::validation_accuracy},
    Column{"majority", &Row::majority},
    Column{"bytes_per_client", &Row::bytes_per_client},
};

std::string header() {
  std::vector<std::string_view> names;
  for (const auto& column : kColumns) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ","));
}

std::string cell_text(std::int64_t value) { return fmt::format("{}", value); }
std::string cell_text(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

template <class T>
bool parse_number(std::string_view text, T& out) {
  const char* end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, out);
  return failure == std::errc() && stopped == end;
}
bool parse_cell(std::string_view text, std::int64_t& out) { return parse_number(text, out); }
bool parse_cell(std::string_view text, double& out) {
  if (!text.empty()) return parse_number(text, out);
  out = kNotMeasured;
  return true;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const auto end = std::min(line.find(',', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

Result<MetricsRow> parse_row(std::string_view line) {
  const auto cells = cells_of(line);
  if (cells.size() != kColumns.size()) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{} cells, not {}", cells.size(), kColumns.size())};
  }
  MetricsRow row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool good = std::visit([&](auto member) { return parse_cell(cells[i], row.*member); },
                                 kColumns[i].member);
    if (!good) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("{} = \"{}\" is no number", kColumns[i].name, cells[i])};
    }
  }
  return row;
}

// The header has no row; number counts from 1.
Result<std::optional<MetricsRow>> parse_line(std::string_view line, int number) {
  if (number == 1) {
    if (line == header()) return std::optional<MetricsRow>();
    return Error{ErrorCode::kCorrupt, fmt::format("the first line must be {}", header())};
  }
  FEDVS_TRY(const MetricsRow row, parse_row(line));
  return std::optional(row);
}

}  // namespace

Result<MetricsLog> MetricsLog::create(const std::filesystem::path& path) {
  FEDVS_TRY(store::LineLog lines, store::LineLog::create(path));
  FEDVS_TRY_STATUS(lines.append(header()));
  return MetricsLog(std::move(lines));
}

Result<MetricsLog> MetricsLog::resume(const std::filesystem::path& path, std::int64_t round) {
  int number = 0;
  const auto round_of = [&](std::string_view line) -> Result<std::optional<std::int64_t>> {
    FEDVS_TRY(const auto row, parse_line(line, ++number));
    return row ? std::optional(row->round) : std::nullopt;
  };
  FEDVS_TRY(store::LineLog lines, store::LineLog::resume(path, round, round_of));
  if (lines.empty()) FEDVS_TRY_STATUS(lines.append(header()));
  return MetricsLog(std::move(lines));
}

Status MetricsLog::append(const MetricsRow& row) {
  std::vector<std::string> cells;
  for (const auto& column : kColumns) {
    cells.push_back(std::visit([&](auto member) { return cell_text(row.*member); }, column.member));
  }
  return lines_.append(fmt::format("{}", fmt::join(cells, ",")));
}

Result<std::vector<MetricsRow>> read_metrics(const std::filesystem::path& path) {
  FEDVS_TRY(const std::string text, read_file(path));
  std::vector<MetricsRow> rows;
  std::size_t begin = 0;
  for (int number = 1;; ++number) {
    const auto end = text.find('\n', begin);
    if (end == std::string::npos) return rows;
    const auto row = parse_line(std::string_view(text).substr(begin, end - begin), number);
    if (!row) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("{}:{}: {}", path.string(), number, row.error().message)};
    }
    if (*row) rows.push_back(**row);
    begin = end + 1;
  }
}

}  // namespace fedvs::run
